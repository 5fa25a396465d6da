"""A reader of model files, written from docs/model-format.md alone, predicts what the library does."""

import json
import math
import struct

import numpy as np
import pytest

import aoso

TYPES = {"i8": np.int8, "u8": np.uint8, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


class Numbers:
    """Numbers of a packed array: tokens of tables, and further bits."""

    def __init__(self, code, tables):
        self.tables = []
        for _ in range(tables):
            tokens = []
            for i in range(code[0] + 1):
                token, frequency = struct.unpack_from("<BH", code, 1 + 3 * i)
                tokens += [(token, len(tokens), frequency)] * frequency
            code = code[1 + 3 * (code[0] + 1) :]
            self.tables.append(tokens)
        (length,) = struct.unpack_from("<Q", code)
        self.state, self.tokens = struct.unpack_from("<I", code, 8)[0], iter(code[12 : 8 + length])
        self.further = int.from_bytes(code[8 + length :], "little")

    def token(self, table=0):
        slot = self.state % 4096
        token, start, frequency = self.tables[table][slot]
        self.state = frequency * (self.state // 4096) + slot - start
        while self.state < 1 << 23:
            self.state = self.state << 8 | next(self.tokens)
        return token

    def next(self, table=0):
        token = self.token(table)
        if token < 16:
            return token
        bits = (token - 16) // 4 + 2
        low = self.further & ((1 << bits) - 1)
        self.further >>= bits
        return (4 | token & 3) << bits | low


def signed(n):
    return -(n + 1) // 2 if n % 2 else n // 2


def bits_to_float(n, kind):
    size = 8 * np.dtype(kind).itemsize
    if n < 0:
        n = (1 << (size - 1)) + (-n - 1)
    return np.array(n, f"u{size // 8}").view(kind)[()]


def float32_to_bits(x):
    n = int(np.float32(x).view(np.uint32))
    return -(n - (1 << 31)) - 1 if n >> 31 else n


def unpack(code, kind, count):
    form, origin, code = code[0] & 15, code[0] >> 4, code[1:]
    if form == 2:
        (exponent,), code = struct.unpack_from("<h", code), code[2:]
    if form == 3:
        length, size = struct.unpack_from("<QQ", code)
        listed, code = unpack(code[16 : 16 + size], kind, length), code[16 + size :]
    if form == 4:
        greatest, code = code[0], code[1:]
    group, kinds, tables = count, [0], 1
    if origin == 3:
        group, num_kinds = struct.unpack_from("<QB", code)
        code, kinds, tables = code[9:], [0] * (count // group), num_kinds + 1 + (form == 4)
        if num_kinds > 1:
            (size,) = struct.unpack_from("<Q", code)
            kinds, code = unpack(code[8 : 8 + size], np.uint8, count // group), code[8 + size :]
    numbers, integers, base = Numbers(code, tables), [], 0

    def relative(n, base):
        if form != 4 or n < 1 << 23:
            return base + signed(n)
        parts = (n >> 23) - 1
        word = (parts % 2) << 31 | (greatest - parts // 2) << 23 | n & (1 << 23) - 1
        return float32_to_bits(np.uint32(word).view(np.float32))

    if origin == 3:
        for k in kinds:
            base = relative(numbers.next(tables - 1 - (form == 4)), base)
            members = [relative(numbers.next(k), base) for _ in range(group - (form == 4))]
            if form == 4:
                total = 0.0
                for n in members:
                    total -= float(bits_to_float(n, np.float32))
                members.append(float32_to_bits(total) + signed(numbers.next(tables - 1)))
            integers += members
    else:
        for _ in range(count):
            n = numbers.next()
            n = n if origin == 0 else base + signed(n)
            base = n if origin == 2 else 0
            integers.append(n)
    if form == 2:
        return np.array([math.ldexp(n, exponent) for n in integers], kind)
    if form == 3:
        return listed[integers]
    if form in (1, 4):
        return np.array([bits_to_float(n, kind) for n in integers], kind)
    return np.array([n & (1 << 64) - 1 for n in integers], np.uint64).astype(kind)


def unpack_names(code, count):
    lengths, code = [], code[8:]
    for _ in range(2):
        (size,) = struct.unpack_from("<Q", code)
        lengths.append(unpack(code[8 : 8 + size], np.uint32, count))
        code = code[8 + size :]
    numbers, names, before = Numbers(code, 1), [], b""
    for shared, own in zip(*lengths):
        before = before[:shared] + bytes(numbers.token() for _ in range(own))
        names.append(before.decode())
    return names


def read(path):
    data = path.read_bytes()
    magic, version, _, size, length = struct.unpack_from("<8sIIQQ", data)
    assert magic == b"AOSO\r\n\x1a\n" and version == 1 and length == len(data)
    header = json.loads(data[32 : 32 + size])
    arrays = {}
    for a in header["arrays"]:
        if a["type"] == "str":
            arrays[a["name"]] = unpack_names(data[a["offset"] :][: a["packed"]], a["count"])
        elif "packed" in a:
            arrays[a["name"]] = unpack(data[a["offset"] :][: a["packed"]], TYPES[a["type"]], a["count"])
        else:
            arrays[a["name"]] = np.frombuffer(data, TYPES[a["type"]], a["count"], a["offset"])
    return header["meta"], arrays


def raw_scores(meta, a, row):
    """The raw scores of a row of columns: numbers, numbers of categories, and rates."""
    classes = len(meta.get("classes") or a["classes"])
    scores, width = np.zeros(classes), len(a["steps"]) // len(a["leaf_rows"])
    for t in range(meta["trees"]):
        first, leaf = int(a["first_node"][t]), int(a["first_leaf"][t])
        low, high = 0, int(a["first_node"][t + 1]) - first + 1
        while high - low > 1:
            node = next(n for n in range(first, int(a["first_node"][t + 1])) if low < a["middle"][n] < high)
            x, middle = row[a["feature"][node]], int(a["middle"][node])
            if np.isnan(x):
                left = a["missing_left"][node] == 1
            elif "set" in a and a["set"][node]:
                word = a["sets"][4 * (int(a["set"][node]) - 1) + int(x) // 64]
                left = int(word) >> (int(x) % 64) & 1
            else:
                left = x < a["threshold"][node]
            low, high = (low, middle) if left else (middle, high)
        values = a["steps"][width * (leaf + low) :][:width].astype(float)
        if meta["leaf"] == "full":
            scores += values
            continue
        for v, r, s in zip(values, a["leaf_pairs"][2 * width * (leaf + low) :: 2], a["leaf_pairs"][2 * width * (leaf + low) + 1 :: 2]):
            if r < classes:
                scores[r] += v
            if s < classes:
                scores[s] -= v
    if "linear_bias" in a:
        scores += a["linear_bias"]
        for t, column in enumerate(a["linear_columns"]):
            begin, end = a["linear_first_edge"][t : t + 2]
            if not np.isnan(row[column]):
                place = a["linear_places"][begin + t + np.sum(a["linear_edges"][begin:end] <= row[column])]
                scores += place * a["linear_weights"][classes * t :][:classes].astype(float)
    return scores


@pytest.mark.parametrize("change", [{}, {"leaf": "pair", "pairs": 2}, {"leaf": "sparse", "leaf_classes": 3}, {"method": "abc"}, {"start": "linear"}])
def test_reader(tmp_path, change):
    r = np.random.default_rng(1)
    y = r.integers(0, 6, 900)
    x = np.round(r.normal(size=(900, 5)) + y[:, None] * r.normal(size=5), 1)
    x[r.random(x.shape) < 0.05] = np.nan
    x[:, 4] = r.integers(0, 9, 900) + y
    params = {"n_estimators": 25, "max_leaves": 12, "calibration": "none", **change}
    booster = aoso.train(params, aoso.Dataset(x, y, categorical_feature=[4]))
    path = tmp_path / "model.aoso"
    booster.save(path)
    meta, arrays = read(path)
    assert meta["classes"] == [str(k) for k in range(6)]
    names = bytes(arrays["category_names"]).decode()
    ends = [int(e) for e in arrays["category_name_ends"]]
    numbers = {names[i:j]: n + 1 for n, (i, j) in enumerate(zip([0, *ends], ends))}
    codes = np.array([numbers[str(int(v))] for v in x[:, 4]])
    assert arrays["category_columns"].tolist() == [0, 0, 0, 0, 1]
    columns = np.column_stack([x[:, :4], codes, arrays["category_rates"][codes - 1]])
    want = booster.predict_raw(x[:80])
    have = np.array([raw_scores(meta, arrays, row) for row in columns[:80]])
    np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-7 if "start" in change else 1e-12)


def test_names(tmp_path):
    names = [f"species {i * 7919 % 1000:03d}" for i in range(300)]
    x, y = np.arange(600.0)[:, None], [names[i % 300] for i in range(600)]
    booster = aoso.train({"n_estimators": 2, "max_leaves": 4, "calibration": "none", "start": "zero"}, aoso.Dataset(x, y))
    path = tmp_path / "model.aoso"
    booster.save(path)
    assert read(path)[1]["classes"] == sorted(names)
