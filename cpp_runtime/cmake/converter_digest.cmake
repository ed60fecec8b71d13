# Writes OUTPUT: a header with one digest of all sources that turn a program into an optimized graph, so that no cached graph outlives
# the code that wrote it.
set(digests "")
file(GLOB_RECURSE sources LIST_DIRECTORIES false
  ${SOURCE_DIR}/base/* ${SOURCE_DIR}/paddle/* ${SOURCE_DIR}/pir/* ${SOURCE_DIR}/onnx/* ${SOURCE_DIR}/convert/*
  ${SOURCE_DIR}/runtime/ort_session_options.cpp)
list(SORT sources)
foreach(source ${sources})
  file(SHA256 ${source} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 digest "${digests}")
file(WRITE ${OUTPUT} "#define OARLOCK_CONVERTER_DIGEST \"${digest}\"\n")
