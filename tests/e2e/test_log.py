"""Topics of the embedded log: what goes in comes out, byte for byte."""
import base64
import json
import subprocess

import pytest

from job import WEIR, weir


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


def produce(log, data, *arguments, topic="t"):
    done = subprocess.run([WEIR, "produce", "--spool", log, "--topic", topic, *arguments],
                          input=data, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done


def envelopes(log, *arguments, topic="t"):
    done = weir("tail", "--spool", log, "--topic", topic, "--from", "earliest",
                "--format", "ndjson", *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def value_of(envelope):
    if "value_b64" in envelope:
        return base64.b64decode(envelope["value_b64"])
    return None if envelope["value"] is None else envelope["value"].encode()


def test_lines_are_values_byte_for_byte(log):
    lines = [b'{"a": 1}', b"", b"  spaces  ", b"cr\r", b"\xff\xfe\x00bin", "ü 日本".encode()]
    produce(log, b"\n".join(lines))
    assert [value_of(e) for e in envelopes(log)] == lines
    assert [e["offset"] for e in envelopes(log)] == list(range(6))


def test_envelopes_go_round(log, tmp_path):
    lines = [{"partition": 1, "key": "k1", "value": "v1", "timestamp": 1764500000123,
              "headers": [{"name": "h", "value": "x"}, {"name": "none", "value": None}]},
             {"partition": 0, "key": "k2", "value": None, "timestamp": 1764500000124},
             {"partition": 1, "key_b64": "//8=", "value_b64": "AAEC/w==",
              "timestamp": 1764500000125}]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    produce(log, data, "--envelope", "--partitions", "2")
    first = envelopes(log)
    again = "".join(json.dumps(e) + "\n" for e in first).encode()
    produce(tmp_path / "other", again, "--envelope", "--partitions", "2")
    assert envelopes(tmp_path / "other") == first
    by_time = sorted(first, key=lambda e: e["timestamp"])
    assert [{k: v for k, v in e.items() if k != "offset"} for e in by_time] == lines


def test_keys_choose_the_partition(log):
    events = [json.dumps({"user_id": f"u{i % 7}", "n": i}) + "\n" for i in range(70)]
    produce(log, "".join(events).encode(), "--key", "user_id", "--partitions", "3")
    by_key = {}
    for envelope in envelopes(log):
        by_key.setdefault(envelope["key"], set()).add(envelope["partition"])
    assert len(by_key) == 7 and all(len(partitions) == 1 for partitions in by_key.values())
    assert len(set.union(*by_key.values())) > 1


def test_a_wrong_envelope_is_named_by_its_line(log):
    done = weir("produce", "--spool", log, "--topic", "t", "--envelope",
                stdin='{"value": "good"}\n{"vlaue": "bad"}\n')
    assert done.returncode == 65
    assert "line 2" in done.stderr and "WEIR0603" in done.stderr
    assert len(envelopes(log)) == 1


def test_tail_shows_the_last_ten_or_what_is_asked_for(log):
    produce(log, b"".join(b"%d\n" % i for i in range(25)))
    last = weir("tail", "--spool", log, "--topic", "t").stdout.splitlines()
    assert len(last) == 10 and last[-1].endswith("24")
    assert [e["value"] for e in envelopes(log, "-n", "3")] == ["0", "1", "2"]
    one = weir("tail", "--spool", log, "--topic", "t", "--from", "7", "-n", "1", "--format", "csv")
    assert one.stdout.splitlines()[1].split(",")[1] == "7"
    two = weir("tail", "--spool", log, "--topic", "t", "-n", "2", "--format", "json")
    assert [row["value"] for row in json.loads(two.stdout)] == ["23", "24"]


def test_tail_follows(log):
    produce(log, b"first\n")
    tail = subprocess.Popen([WEIR, "tail", "--spool", log, "--topic", "t", "--follow",
                             "--format", "ndjson"], stdout=subprocess.PIPE, text=True)
    assert json.loads(tail.stdout.readline())["value"] == "first"
    produce(log, b"second\n")
    assert json.loads(tail.stdout.readline())["value"] == "second"
    tail.terminate()
    assert tail.wait(30) == 0


def test_tail_of_nothing_says_so_at_once(tmp_path):
    done = weir("tail", "--spool", tmp_path / "none", "--topic", "t", timeout=10)
    assert done.returncode == 69 and "WEIR0301" in done.stderr
    assert not (tmp_path / "none").exists()


def test_generate_is_the_same_for_the_same_seed(log, tmp_path):
    for name in ("a", "b"):
        done = weir("generate", "--seed", 3, "--count", 500, "--faults", "bad=5%,tombstone=1%",
                    "--out", tmp_path / name, "--envelope",
                    "--answer-key", tmp_path / f"{name}.key")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a.key").read_bytes() == (tmp_path / "b.key").read_bytes()
    produce(log, (tmp_path / "a").read_bytes(), "--envelope")
    assert len(envelopes(log)) == 500


def test_generate_at_a_rate_for_a_time(log):
    done = weir("generate", "--seed", 1, "--rate", 100, "--for", "1s", "--spool", log,
                "--topic", "t")
    assert done.returncode == 0 and "generated 100 events" in done.stderr
