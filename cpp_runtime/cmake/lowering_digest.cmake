# Writes OUTPUT: a header with one digest of all that turns a program into a graph, so that no graph that was kept
# outlives the rules that made it.
set(digests "")
file(GLOB sources LIST_DIRECTORIES false ${SOURCE_DIR}/lower/* ${SOURCE_DIR}/onnx/* ${SOURCE_DIR}/read/*)
list(SORT sources)
foreach(source ${sources})
  file(SHA256 ${source} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 digest "${digests}")
file(WRITE ${OUTPUT} "#define OARLOCK_LOWERING_DIGEST \"${digest}\"\n")
