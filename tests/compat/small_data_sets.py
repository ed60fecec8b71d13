"""Write small files in the formats of the data sets, and read them. Also runs in Paddle 1.8.5
(Python 3.7).
"""

import gzip
import io
import os
import pickle
import random
import re
import struct
import tarfile
import zipfile

import numpy as np


def _archive(path, parts):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, data in parts:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def make(folder):
    """Write all files under folder."""
    draws = np.random.RandomState(5)
    os.makedirs(os.path.join(folder, "mnist"))
    for part, count in (("train", 200), ("t10k", 100)):
        pixels = draws.randint(0, 256, (count, 2, 3)).astype("uint8")
        labels = draws.randint(0, 10, count).astype("uint8")
        with gzip.open(os.path.join(folder, "mnist", part + "-images-idx3-ubyte.gz"), "wb") as file:
            file.write(struct.pack(">IIII", 2051, count, 2, 3) + pixels.tobytes())
        with gzip.open(os.path.join(folder, "mnist", part + "-labels-idx1-ubyte.gz"), "wb") as file:
            file.write(struct.pack(">II", 2049, count) + labels.tobytes())
    batch = lambda n, key: pickle.dumps(
        {b"data": draws.randint(0, 256, (n, 12)).astype("uint8"), key: list(range(n))}, 2
    )
    parts = [
        ("cifar-10-batches-py/" + name, batch(3, b"labels"))
        for name in ("data_batch_1", "data_batch_2", "test_batch")
    ]
    _archive(os.path.join(folder, "cifar", "cifar-10-python.tar.gz"), parts)
    parts = [("cifar-100-python/" + name, batch(2, b"fine_labels")) for name in ("train", "test")]
    _archive(os.path.join(folder, "cifar", "cifar-100-python.tar.gz"), parts)
    os.makedirs(os.path.join(folder, "uci_housing"))
    with open(os.path.join(folder, "uci_housing", "housing.data"), "w") as file:
        for row in draws.rand(10, 14) * 50:
            file.write(" ".join(f"{number:.3f}" for number in row) + "\n")
    texts = ["A good, good film!\n", "bad film. Very bad.", "good enough", "not so bad a film?"]
    parts = [
        (f"aclImdb/{part}/{kind}/{i}.txt", (texts[i] + " " + kind * i).encode())
        for part in ("train", "test")
        for kind in ("pos", "neg")
        for i in range(4)
    ]
    _archive(os.path.join(folder, "imdb", "imdb%2FaclImdb_v1.tar.gz"), parts)
    lines = b" the cat sat on the mat \n the dog <unk> on the cat \n a \n"
    parts = [
        (f"./simple-examples/data/ptb.{part}.txt", lines * n)
        for part, n in (("train", 2), ("valid", 1))
    ]
    _archive(os.path.join(folder, "imikolov", "imikolov%2Fsimple-examples.tgz"), parts)
    pairs = b"a man runs\tein Mann rennt\na dog\tein Hund\nno pair\nthe man\tder Mann\n"
    _archive(
        os.path.join(folder, "wmt16", "wmt16.tar.gz"),
        [("wmt16/" + part, pairs) for part in ("train", "test", "val")],
    )
    words = b"<s>\n<e>\n<unk>\na\nman\nruns\n"
    french = b"<s>\n<e>\n<unk>\nun\nhomme\ncourt\n"
    parts = [("wmt14/src.dict", words), ("wmt14/trg.dict", french)]
    parts += [
        (
            f"wmt14/{p}/{p}",
            b"a man runs\tun homme court\na dog\tun chien\nalone\n" + b"a " * 90 + b"\tun\n",
        )
        for p in ("train", "test", "gen")
    ]
    _archive(os.path.join(folder, "wmt14", "wmt14.tgz"), parts)
    os.makedirs(os.path.join(folder, "movielens"))
    with zipfile.ZipFile(
        os.path.join(folder, "movielens", "movielens%2Fml-1m.zip"), "w"
    ) as package:
        package.writestr(
            "ml-1m/movies.dat",
            "1::Toy Story (1995)::Animation|Comedy\n2::Heat (1995)::Action\n5::Toy Am\xe9lie (2001)::Comedy\n".encode(
                "latin-1"
            ),
        )
        package.writestr("ml-1m/users.dat", "1::F::1::10::48067\n2::M::56::16::70072\n")
        package.writestr(
            "ml-1m/ratings.dat",
            "".join(
                f"{1 + i % 2}::{(1, 2, 5)[i % 3]}::{1 + i % 5}::978300760\n" for i in range(30)
            ),
        )
    _roles(os.path.join(folder, "conll05st"))


def _roles(folder):
    """Return two sentences, one with two predicates and one with one."""
    words = b"The\ncat\nsaw\ndogs\nrun\n\nStop\n.\n\n"
    props = b"- (A0* *\n- *) *\nsee (V*) *\n- (A1* (A0*)\nrun *) (V*)\n\nstop (V*\n- *)\n\n"
    base = "conll05st-release/test.wsj/"
    parts = [
        (base + "words/test.wsj.words.gz", gzip.compress(words)),
        (base + "props/test.wsj.props.gz", gzip.compress(props)),
    ]
    _archive(os.path.join(folder, "conll05st-tests.tar.gz"), parts)
    texts = {
        "wordDict": "The\ncat\nbos\neos\nsaw\n.\n",
        "verbDict": "see\nstop\n",
        "targetDict": "B-V\nI-V\nO\n",
        "emb": "x",
    }
    for name, text in texts.items():
        with open(
            os.path.join(folder, "conll05st%2F" + name + (".txt" if name != "emb" else "")), "w"
        ) as file:
            file.write(text)


def to_json_value(value):
    """A value as JSON has it."""
    if isinstance(value, (list, tuple)):
        return [to_json_value(v) for v in value]
    if isinstance(value, dict):
        return sorted([[to_json_value(k), to_json_value(v)] for k, v in value.items()], key=str)
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), [round(float(v), 6) for v in value.ravel()]]
    if isinstance(value, bytes):
        return "b:" + value.decode("latin-1")
    return value if isinstance(value, (int, float, str, type(None))) else str(value)


def _rating(sample):
    """Without the numbers of words and categories, which Paddle draws anew in each run."""
    return sample[:5] + [len(sample[5]), len(sample[6]), sample[7]]


def data_sets(paddle):
    """Return the results of the data set readers of a Paddle package, by name."""
    d = paddle.dataset
    words, grams = d.imdb.build_dict(re.compile("aclImdb/train/.*"), 1), d.imikolov.build_dict(1)
    return {
        "mnist.train": list(d.mnist.train()()),
        "mnist.test": list(d.mnist.test()()),
        "cifar.train10": list(d.cifar.train10()()),
        "cifar.test10": list(d.cifar.test10()()),
        "cifar.cycle": list(paddle.reader.firstn(d.cifar.train10(cycle=True), 8)()),
        "cifar.train100": list(d.cifar.train100()()),
        "cifar.test100": list(d.cifar.test100()()),
        "uci_housing.train": list(d.uci_housing.train()()),
        "uci_housing.test": list(d.uci_housing.test()()),
        "uci_housing.predict_reader": d.uci_housing.predict_reader(),
        "imdb.build_dict": words,
        "imdb.train": list(d.imdb.train(words)()),
        "imdb.test": list(d.imdb.test(words)()),
        "imikolov.build_dict": grams,
        "imikolov.train": list(d.imikolov.train(grams, 3)()),
        "imikolov.test": list(d.imikolov.test(grams, 2)()),
        "imikolov.seq": list(d.imikolov.train(grams, 0, d.imikolov.DataType.SEQ)()),
        "imikolov.short": list(d.imikolov.train(grams, 5, d.imikolov.DataType.SEQ)()),
        "conll05.test": list(d.conll05.test()()),
        "conll05.get_dict": list(d.conll05.get_dict()),
        "conll05.get_embedding": os.path.basename(d.conll05.get_embedding()),
        "wmt16.train": list(d.wmt16.train(5, 6)()),
        "wmt16.test.de": list(d.wmt16.test(7, 5, "de")()),
        "wmt16.validation": list(d.wmt16.validation(8, 8)()),
        "wmt16.get_dict": [d.wmt16.get_dict("en", 5), d.wmt16.get_dict("de", 6, reverse=True)],
        "wmt14.train": list(d.wmt14.train(5)()),
        "wmt14.test": list(d.wmt14.test(6)()),
        "wmt14.get_dict": [d.wmt14.get_dict(5), d.wmt14.get_dict(4, reverse=False)],
        "movielens.train": [_rating(s) for s in d.movielens.train()()],
        "movielens.test": [_rating(s) for s in d.movielens.test()()],
        "movielens.numbers": [
            d.movielens.max_movie_id(),
            d.movielens.max_user_id(),
            d.movielens.max_job_id(),
            d.movielens.age_table,
        ],
        "movielens.titles": sorted(d.movielens.get_movie_title_dict()),
        "movielens.categories": sorted(d.movielens.movie_categories()),
        "movielens.info": [d.movielens.movie_info(), d.movielens.user_info()],
    }


def readers(paddle):
    """Return the results of the functions of paddle.reader, by name, or the types of their errors."""
    r = paddle.reader

    def ten():
        return iter(range(10))

    def pairs():
        return ((i, -i) for i in range(4))

    def seeded(reader):
        random.seed(3)
        return list(reader())

    def raised(make):
        try:
            return list(make()())
        except Exception as error:
            kinds = [k.__name__ for k in type(error).__mro__]
            return [
                k
                for k in (
                    "ComposeNotAligned",
                    "ValueError",
                    "TypeError",
                    "AssertionError",
                    "ZeroDivisionError",
                )
                if k in kinds
            ]

    return {
        "batch": list(paddle.batch(ten, 4)()),
        "batch.drop_last": list(paddle.batch(ten, 4, drop_last=True)()),
        "batch.float": list(paddle.batch(ten, 4.0)()),
        "batch.none": raised(lambda: paddle.batch(ten, 0)),
        "cache": [list(reader()) for reader in [r.cache(ten)] * 2],
        "map_readers": list(r.map_readers(lambda a, b: (a, b), ten, pairs)()),
        "shuffle": sorted(r.shuffle(ten, 4)()),
        "shuffle.drawn": seeded(r.shuffle(ten, 4)),
        "shuffle.all": seeded(r.shuffle(ten, 100)),
        "chain": list(r.chain(ten, pairs)()),
        "compose": list(r.compose(pairs, pairs, lambda: iter("abcd"))()),
        "compose.not_aligned": raised(lambda: r.compose(ten, pairs)),
        "compose.unchecked": list(r.compose(ten, pairs, check_alignment=False)()),
        "buffered": list(r.buffered(ten, 2)()),
        "firstn": list(r.firstn(ten, 3)()),
        "firstn.more": list(r.firstn(pairs, 30)()),
        "xmap": sorted(r.xmap_readers(lambda x: x * x, ten, 3, 4)()),
        "xmap.order": list(r.xmap_readers(lambda x: x * x, ten, 3, 4, order=True)()),
        "multiprocess": sorted(
            r.multiprocess_reader([ten, lambda: iter([100, 200])], use_pipe=False)()
        ),
        "multiprocess.pipe": sorted(r.multiprocess_reader([ten, lambda: iter([100, 200])])()),
        "multiprocess.none": raised(lambda: r.multiprocess_reader([])),
    }
