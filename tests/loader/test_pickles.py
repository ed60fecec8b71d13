"""Pickles are read as data: valid ones of all protocols, and FileErrors for hostile ones."""

from __future__ import annotations

import collections
import io
import itertools
import pickle
import struct
import sys
import zipfile
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from oarlock.core.errors import FileError, OpError
from oarlock.export.pickles import dumps
from oarlock.loader import pickle_constructors, pickles
from oarlock.loader.pickles import load_first_with_length, loads

# --- values
# ------------------------------------------------------------------------------

ARRAYS = hnp.arrays(
    st.sampled_from(
        ["?", "i1", "u1", "<i2", ">i4", "<i8", "<f2", "<f4", ">f8", "<c8", "<U3", "S2"]
    ),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    elements={"allow_nan": False},
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.complex_numbers(allow_nan=False),
    TEXT,
    st.binary(max_size=8),
    ARRAYS,
    st.sampled_from([np.float32(1.5), np.int64(-3), np.bool_(True), np.complex64(1j)]),
)
DATA = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(TEXT, inner, max_size=3),
    ),
    max_leaves=8,
)


def equal_values(left: Any, right: Any) -> bool:
    """Equal in type, shape and value; byte order aside."""
    if isinstance(right, np.ndarray):
        return (
            isinstance(left, np.ndarray)
            and left.dtype == right.dtype.newbyteorder("=")
            and left.shape == right.shape
            and left.tolist() == right.tolist()
        )
    if isinstance(right, dict):
        return list(left) == list(right) and all(
            equal_values(left[key], right[key]) for key in right
        )
    if isinstance(right, (list, tuple)):
        return (
            type(left) is type(right)
            and len(left) == len(right)
            and all(map(equal_values, left, right))
        )
    return type(left) is type(right) and bool(left == right)


@given(DATA, st.sampled_from([2, 3, 4]))
@settings(deadline=None)
def test_written_pickles_are_read_by_pickle(value: Any, protocol: int) -> None:
    data = dumps(value, protocol)
    assert equal_values(loads(data), value)
    assert equal_values(pickle.loads(data), value)
    assert dumps(loads(data), protocol) == dumps(value, protocol)


@given(DATA, st.integers(0, 5))
@settings(deadline=None)
def test_pickles_of_python_are_read(value: Any, protocol: int) -> None:
    assert equal_values(loads(pickle.dumps(value, protocol)), value)


def test_arrays_are_independent_and_writable() -> None:
    back = loads(dumps([np.zeros(3)]))
    back[0] += 1
    assert back[0].tolist() == [1, 1, 1]


def test_equal_data_has_equal_bytes() -> None:
    name = "".join(["na", "me"])
    assert dumps({"name": [name, name]}) == dumps({"name": ["name", sys.intern("name")]})


@pytest.mark.parametrize("protocol", range(6))
def test_shared_references(protocol: int) -> None:
    array = np.arange(3)
    back = loads(pickle.dumps([array, {"again": array}], protocol))
    assert back[0] is back[1]["again"]


def test_ordered_dicts_are_dicts() -> None:
    ordered = collections.OrderedDict(b=1, a=2)
    for protocol in range(6):
        assert list(loads(pickle.dumps(ordered, protocol)).items()) == [("b", 1), ("a", 2)]


def test_fortran_order() -> None:
    array = np.asfortranarray(np.arange(6).reshape(2, 3))
    assert loads(pickle.dumps(array)).tolist() == array.tolist()


def test_bfloat16() -> None:
    array = np.array([1.5, -2], ml_dtypes.bfloat16)
    assert loads(dumps(array)).tolist() == array.view(np.uint16).tolist()  # as Paddle keeps it
    if array.dtype.kind == "V":
        back = loads(pickle.dumps(array))
        assert back.dtype == array.dtype
        assert back.tolist() == array.tolist()


def test_python_2_pickles() -> None:
    array = (
        b"\x80\x02}q\x00U\x01wq\x01cnumpy.core.multiarray\n_reconstruct\nq\x02cnumpy\nndarray\nq\x03K\x00\x85q\x04U\x01b"
        b"\x87Rq\x05(K\x01K\x02\x85cnumpy\ndtype\nq\x06U\x02f4q\x07K\x00K\x01\x87Rq\x08(K\x03U\x01<NNNJ\xff\xff\xff\xff"
        b"J\xff\xff\xff\xffK\x00tb\x89U\x08\x00\x00\x80?\x00\x00\x00\xc0tbs."
    )
    assert loads(array)["w"].tolist() == [1.0, -2.0]
    assert loads(array)["w"].dtype == np.float32


def test_paddle_tensor_pickles() -> None:
    tensor = b"cbuiltins\ntuple\n(U\x01aK\x05t\x85R."
    assert loads(tensor) == ("a", 5)
    lod_tensor = b"c__builtin__\neval\n(U\x04data}U\x04dataK\x05stR."
    assert loads(lod_tensor) == 5


def test_concatenated_pickles() -> None:
    two = dumps({"a": 1}) + dumps([2])
    first, used = load_first_with_length(two)
    assert (first, loads(two[used:])) == ({"a": 1}, [2])
    with pytest.raises(FileError, match="m: has 8 bytes after its end"):
        loads(dumps({"a": 1}) + dumps([2]), "m")


# --- hostile ones
# ------------------------------------------------------------------------------


class CallWhenUnpickled:
    def __init__(self, function: Any, *args: Any) -> None:
        self.call = function, args

    def __reduce__(self) -> Any:
        return self.call


class Plain:
    pass


COLLIDING = sys.hash_info.modulus  # the hash of every multiple of it is 0


def colliding_ints(bits: int, count: int) -> list[int]:
    """Return ints with different hashes that collide in a dict of up to 2**bits slots."""
    mask, steps = (1 << bits) - 1, 14  # after which all bits of a hash have been used

    def place(number: int) -> int:
        at, rest = number & mask, number
        for _ in range(steps):
            rest >>= 5
            at = (5 * at + rest + 1) & mask
        return at

    low = {place(number): number for number in range(4 << bits)}
    highs = (number << (bits + 3) for number in itertools.count(1))
    # place() of a sum of numbers without common bits is the sum of theirs, less place(0).
    found = (low.get((place(0) - place(high)) & mask, -1) | high for high in highs)
    return list(itertools.islice((number for number in found if number >= 0), count))


def inverted_nested_lists(count: int) -> bytes:
    """Return nested lists, each appended to the outer one while it is still empty."""
    levels = [b"]r" + struct.pack("<I", i) + b"a0j" + struct.pack("<I", i) for i in range(1, count)]
    return b"\x80\x02]r\x00\x00\x00\x00" + b"".join(levels) + b"0j\x00\x00\x00\x00."


def nested(count: int) -> bytes:
    return b"\x80\x02" + b"]" * count + b"a" * (count - 1) + b"."


def array_pickle(
    shape: bytes, dtype: bytes = b"U\x02f4", data: bytes = b"U\x00", state: bytes = b""
) -> bytes:
    made = b"cnumpy\ndtype\n" + dtype + b"K\x00K\x01\x87R" + state
    start = b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
    return start + b"(K\x01" + shape + made + b"\x89" + data + b"tb."


HUGE = b"\x8a\x08" + struct.pack("<q", 1 << 60)
DTYPE_STATE = b"(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
TUPLES = b"\x80\x02)" + b"".join(b"2\x86" for _ in range(60))  # DUP, TUPLE2: t = (t, t)


def zip_archive(name: str) -> bytes:
    """The bytes of a ZIP archive of one file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, "content")
    return data.getvalue()


HOSTILE: dict[str, tuple[bytes, str]] = {
    "system": (
        pickle.dumps(CallWhenUnpickled(exec, "import os")),
        "would run builtins.exec('import os') when it is unpickled",
    ),
    "nested call": (
        pickle.dumps({"a": [CallWhenUnpickled(open, "/etc/passwd")]}),
        "open('/etc/passwd')",
    ),
    "eval of something": (
        pickle.dumps(CallWhenUnpickled(eval, "1 + 1")),
        "would run eval('1 + 1')",
    ),
    "eval with data": (
        pickle.dumps(CallWhenUnpickled(eval, "data()", {"data": 3})),
        "would run eval('data()', a dict)",
    ),
    "eval with more": (
        pickle.dumps(CallWhenUnpickled(eval, "data", {"data": 3, "b": 4})),
        "would run eval('data', a dict)",
    ),
    "getattr": (
        pickle.dumps(CallWhenUnpickled(getattr, "a", "upper")),
        "would run builtins.getattr",
    ),
    "object": (pickle.dumps(Plain(), 4), "would make an object of a class"),
    "object, protocol 0": (pickle.dumps(Plain(), 0), "would run copy_reg._reconstructor"),
    "instance": (
        b"(i__main__\nX\n.",
        "would make an object of a class when it is unpickled (INST)",
    ),
    "obj": (b"(c__main__\nX\no.", "(OBJ)"),
    "newobj_ex": (b"\x80\x04c__main__\nX\n)}\x92.", "(NEWOBJ_EX)"),
    "persistent": (b"\x80\x02K\x05Q.", "asks its reader for an object that is not in the file"),
    "persistent text": (b"Pabc\n.", "asks its reader for an object"),
    "extension": (b"\x80\x02\x82\x01.", "uses EXT1"),
    "buffer": (b"\x80\x05\x97.", "keeps its arrays outside"),
    "a bare name": (b"cos\nsystem\n.", "refers to os.system, which is not plain data"),
    "a name inside": (
        b"\x80\x02}U\x01acos\nsystem\ns.",
        "refers to os.system, which is not plain data",
    ),
    "a bare dtype": (
        pickle.dumps(np.dtype("f4")),
        "refers to numpy.dtype, which is not plain data",
    ),
    "objects in an array": (
        pickle.dumps(np.array([None])),
        "holds an array of 'O8', which is not plain data",
    ),
    "a record array": (pickle.dumps(np.zeros(2, "i4,f4")), "holds an array of 'V8'"),
    "a set": (pickle.dumps({1}), "uses EMPTY_SET"),
    "state of a list": (b"\x80\x02]}b.", "sets the state of a list"),
    "state of a dict": (
        b"\x80\x02ccollections\nOrderedDict\n)R}U\x01aK\x01sb.",
        "sets the state of",
    ),
    "empty": (b"", "is not a complete pickle"),
    "cut": (dumps({"a": np.arange(9)})[:-30], "is not a complete pickle"),
    "no end": (b"\x80\x02N", "is not a complete pickle"),
    "a file of PyTorch": (zip_archive("a_long_name" * 9 + "/data.pkl"), "is a file of PyTorch"),
    "a NumPy archive": (zip_archive("x.npy"), "is a NumPy archive"),
    "a ZIP archive": (zip_archive("readme.txt"), "is a ZIP archive"),
    "a cut ZIP archive": (b"PK\x03\x04", "is a ZIP archive"),
    "text": (b"hello", "is not a complete pickle"),
    "nothing on the stack": (b"\x80\x02.", "ends with 0 values"),
    "two on the stack": (b"\x80\x02NN.", "ends with 2 values"),
    "a mark": (b"\x80\x02(.", "nothing to take"),
    "no mark": (b"\x80\x02Nt.", "no mark"),
    "pop of nothing": (b"\x80\x020.", "is not a complete pickle"),
    "a memo that is not there": (b"\x80\x02j\xff\xff\xff\xff.", "is not a complete pickle"),
    "a huge memo": (b"\x80\x02Nr\xff\xff\xff\xff0.", "ends with 0 values"),
    "a negative memo": (b"g-1\n.", "is not a complete pickle"),
    "append to a number": (
        b"\x80\x02K\x01K\x02a.",
        "items are added to a value that is not a container",
    ),
    "item of a list": (
        b"\x80\x02]K\x01K\x02s.",
        "items are added to a value that is not a container",
    ),
    "a key without value": (b"\x80\x02}(K\x01u.", "a key without a value"),
    "a list as key": (b"\x80\x02}]K\x01s.", "has a key that is not plain data: a list"),
    "an array as key": (
        b"\x80\x02}" + dumps(np.arange(2))[2:-1] + b"K\x01s.",
        "has a key that is not plain data",
    ),
    "a long text": (
        b"\x80\x04\x8d" + struct.pack("<Q", 1 << 60) + b"a.",
        "is not a complete pickle",
    ),
    "long bytes": (
        b"\x80\x04\x8e" + struct.pack("<Q", 1 << 60) + b"a.",
        "is not a complete pickle",
    ),
    "a long bytearray": (
        b"\x80\x05\x96" + struct.pack("<Q", 1 << 60) + b"a.",
        "is not a complete pickle",
    ),
    "an escape that is none": (b"S'\\u'\n.", "is not a complete pickle"),
    "negative length": (b"\x80\x02T\xff\xff\xff\xff.", "is not a complete pickle"),
    "a long number": (b"L" + b"9" * 100000 + b"L\n.", "is not a complete pickle"),
    "a long frame": (b"\x80\x04\x95" + struct.pack("<Q", 1 << 60), "is not a complete pickle"),
    "a large array": (
        array_pickle(HUGE + b"\x85"),
        "holds 0 bytes for the array float32[1152921504606846976]",
    ),
    "a large empty array": (
        array_pickle(b"K\x00" + HUGE + b"\x86"),
        "holds 0 bytes for the array float32[0, 1152921504606846976]",
    ),
    "a negative array": (
        array_pickle(b"J\xff\xff\xff\xff\x85"),
        "fills an array in a way that no file of weights does",
    ),
    "a bool as size": (array_pickle(b"\x88\x85"), "fills an array in a way"),
    "many axes": (
        array_pickle(b"(" + b"K\x01" * 65 + b"t", data=b"U\x04aaaa"),
        "fills an array in a way",
    ),
    "short data": (
        array_pickle(b"K\x02\x85", data=b"U\x04aaaa"),
        "holds 4 bytes for the array float32[2]",
    ),
    "a list as data": (array_pickle(b"K\x00\x85", data=b"]"), "fills an array in a way"),
    "a sub-array": (array_pickle(b"K\x00\x85", b"U\x0b(9999999,)O"), "which is not plain data"),
    "a strange dtype": (array_pickle(b"K\x00\x85", b"U\x03M8D"), "holds an array of 'M8D'"),
    "fields in a dtype": (
        array_pickle(b"K\x00\x85", state=b"(K\x03U\x01<N]NK\x04K\x04K\x00tb"),
        "builds numpy.dtype in a way",
    ),
    "a byte order": (
        array_pickle(b"K\x00\x85", state=DTYPE_STATE.replace(b"<", b"?")),
        "builds numpy.dtype in a way",
    ),
    "ndarray by hand": (b"\x80\x02cnumpy\nndarray\nK\x05\x85R.", "would run numpy.ndarray(an int)"),
    "another class": (
        array_pickle(b"K\x00\x85").replace(b"cnumpy\nndarray", b"cnumpy\nmatrix"),
        "makes an array in a way",
    ),
    "encode with another codec": (
        pickle.dumps(CallWhenUnpickled(__import__("_codecs").encode, "a", "zlib")),
        "encodes text in a way",
    ),
    "depth": (nested(100000), "is nested more than 100 deep"),
    "tuples of tuples": (TUPLES + b".", "stands for more than"),
    "tuples of tuples as key": (
        b"\x80\x02}" + TUPLES[2:] + b"K\x01s.",
        "has a key that is not plain data: (a tuple, a tuple)",
    ),
    "a list in itself": (b"\x80\x02]q\x00h\x00a.", "contains a container that contains itself"),
    "a dict in itself": (
        b"\x80\x02}q\x00U\x01ah\x00s.",
        "contains a container that contains itself",
    ),
    "copies": (
        b"\x80\x02("
        + b"K\x01" * 5000
        + b"lq\x000("
        + b"cbuiltins\ntuple\nh\x00\x85R" * 5000
        + b"l.",
        "far more data than weights need",
    ),
    "text copied": (
        b"\x80\x02X\x00\x10\x00\x00"
        + b"a" * 4096
        + b"q\x000("
        + b"c_codecs\nencode\nh\x00U\x06latin1\x86R" * 500
        + b"l.",
        "far more data than weights need",
    ),
    "long tuples as keys": (
        b"\x80\x02}" + b"(" + b"K\x01" * 4000 + b"tq\x000" + b"h\x00Ns" * 4000 + b".",
        "far more data than weights need",
    ),
    "empty texts as keys": (
        b"\x80\x04}" + b"(" + b"\x8c\x00" * 4000 + b"tq\x000" + b"h\x00Ns" * 4000 + b".",
        "far more data than weights need",
    ),
    "a name with orders": (b"\x80\x02cevil\n\x1b[2J\n)R.", "would run evil.\\x1b[2J()"),
    "a long name": (b"\x80\x02cevil\n" + b"x" * 9999 + b"\n)R.", f"would run evil.{'x' * 195}()"),
    "a large number as key": (
        b"\x80\x02\x8b\x00\x10\x00\x00" + b"\x01" * 4096 + b"q\x000}(" + b"h\x00N" * 9000 + b"u.",
        "far more data than weights need",
    ),
    "numbers of one hash as keys": (
        pickle.dumps({i * COLLIDING: None for i in range(2000)}, 2),
        "keys in one dict that are neither strings nor small integers",
    ),
    "tuples of numbers of one hash as keys": (
        pickle.dumps({(0, i * COLLIDING): None for i in range(2000)}, 2),
        "keys in one dict that are neither strings nor small integers",
    ),
    "numbers of different hashes that look for the same places": (
        pickle.dumps(dict.fromkeys(colliding_ints(15, 3000)), 2),
        "keys in one dict that are neither strings nor small integers",
    ),
    "floats of one hash as keys": (
        b"\x80\x02}("
        + b"".join(b"G" + struct.pack(">d", 2.0 ** (61 * i % 1000)) + b"N" for i in range(20000))
        + b"u.",
        "keys in one dict that are neither strings nor small integers",
    ),
    "two million nested tuples": (
        b"\x80\x02N" + b"\x85" * 2_000_000 + b".",
        "is nested more than 100 deep",
    ),
    "lists nested from outside in": (
        inverted_nested_lists(100_000),
        "is nested more than 100 deep",
    ),
}


@pytest.mark.parametrize("name", ["two million nested tuples", "numbers of one hash as keys"])
def test_limits_stop_the_reader(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much of the same follows, no more of it is read: work is counted in instructions."""
    count = 0
    genops = pickles.pickletools.genops

    def counted(source: Any) -> Any:
        nonlocal count
        for op in genops(source):
            count += 1
            yield op

    monkeypatch.setattr(pickles.pickletools, "genops", counted)
    with pytest.raises(FileError):
        loads(HOSTILE[name][0])
    assert count < 5000


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pickles_are_rejected(name: str) -> None:
    data, message = HOSTILE[name]
    with pytest.raises(FileError) as error:
        loads(data, "m.pdparams")
    assert str(error.value).startswith("m.pdparams")
    assert message in str(error.value)


def test_large_dicts_are_read() -> None:
    """What no file can make slow is not limited; of other keys a dict has a thousand."""
    plain = {**dict.fromkeys(range(20000)), **{str(i): i for i in range(20000)}}
    pairs = {(i, i + 1): np.ones(3) for i in range(1000)}
    assert loads(pickle.dumps(plain, 2)) == plain
    assert list(loads(pickle.dumps(pairs, 2))) == list(pairs)


def test_no_module_is_imported() -> None:
    with pytest.raises(FileError, match=r"would run antigravity\.fly"):
        loads(b"\x80\x02cantigravity\nfly\n)R.")
    assert "antigravity" not in sys.modules


def test_numpy_dtypes_are_not_modified() -> None:
    swapped = array_pickle(
        b"K\x01\x85", data=b"U\x04\x3f\x80\x00\x00", state=DTYPE_STATE.replace(b"<", b">")
    )
    assert loads(swapped).tolist() == [1.0]
    assert np.dtype("f4").byteorder == "="
    assert loads(swapped).dtype == np.dtype("f4")


def test_all_opcodes_are_handled() -> None:
    """Unknown opcodes are rejected; this list contains the ones that are omitted intentionally."""
    import pickletools

    known = (
        pickles._PUSH_OPCODES
        | pickles._INSTRUCTIONS.keys()
        | pickles._REJECTED_OPCODES.keys()
        | {"STOP"}
    )
    left_out = {"EMPTY_SET", "ADDITEMS", "FROZENSET", "EXT1", "EXT2", "EXT4", "READONLY_BUFFER"}
    assert {code.name for code in pickletools.opcodes} - known == left_out


def test_allowed_calls_without_arguments() -> None:
    """Each row of the table with no arguments: two may have none, the others reject and do not fail
    otherwise.
    """
    for name, call in pickle_constructors.ALLOWED_CONSTRUCTORS.items():
        if name.endswith((".bytes", ".OrderedDict")):
            assert not call((), lambda size: None)
        else:
            with pytest.raises(pickle_constructors.RejectedPickleError, match=r"in a way|eval\(\)"):
                call((), lambda size: None)


SEED = pickle.dumps(
    {"w": np.arange(4, dtype="f4"), "t": [("n", np.int64(3)), {"lr": 0.1}], "k": None}, 2
)


@given(st.data(), st.integers(0, 5))
@settings(deadline=None, max_examples=500)
def test_damaged_pickles_are_file_errors_or_data(data: st.DataObject, protocol: int) -> None:
    damaged = bytearray(pickle.dumps(pickle.loads(SEED), protocol))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        length = data.draw(st.integers(0, 4))
        damaged[at : at + length] = data.draw(st.binary(max_size=4))
    try:
        loads(bytes(damaged), "m")
    except FileError:
        return


@given(
    st.lists(
        st.sampled_from(
            [bytes([code]) for code in b"}])(NKtaseubRlp2h0qI\x85\x86\x87\x93\x94c.\x01\x00"]
        )
    )
)
@settings(deadline=None, max_examples=500)
def test_random_opcodes(codes: list[bytes]) -> None:
    try:
        loads(b"\x80\x04" + b"".join(codes) + b".", "m")
    except FileError:
        return


# --- what is not data is not written
# ----------------------------------------------------------------------------------


class Layer:
    def state_dict(self) -> None: ...


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [Layer()]}, "Layer, which is not plain data; save its state_dict() instead"),
        ({"a": {1, 2}}, "save: ['a'] is a builtins.set, which is not plain data"),
        (len, "save: the object is a builtins.builtin_function_or_method, which is not plain data"),
        ({Layer(): 1}, "is not plain data"),
        (np.array([None]), "save: the object is an array of object, which is not plain data"),
    ],
)
def test_objects_are_not_written(value: Any, message: str) -> None:
    with pytest.raises(OpError) as error:
        dumps(value)
    assert message in str(error.value)


def test_recursive_data_is_not_written() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(OpError, match="nested more than 100 deep, or holds itself"):
        dumps(circle)


@pytest.mark.parametrize("protocol", [0, 1, 5, "4", None])
def test_protocols(protocol: Any) -> None:
    with pytest.raises(OpError, match="protocol must be 2, 3 or 4"):
        dumps({}, protocol)
