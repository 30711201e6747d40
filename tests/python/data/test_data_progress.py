"""How far a run is: what engines tell, and what a terminal and a log show of it."""

import io

import tessella.data
from tessella.cli.shards import Board


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_engines_tell_bytes_and_tokens(tmp_path, rows, tokenizer):
    path, _ = rows
    for workers in (1, 2):
        events = []
        made = tessella.data.tokenize_corpus(
            path, tokenizer, tmp_path / str(workers), shard_size=9000, workers=workers, on_event=events.append
        )
        done = [event for event in events if event["event"] == "done"]
        assert sum(event["bytes"] for event in done) == events[0]["bytes"] == path.stat().st_size
        assert sum(event["tokens"] for event in done) == made.tokens
        last = {event["shard"]: event for event in events if event["event"] == "progress"}
        for event in done if workers == 1 else ():
            assert last[event["shard"]]["tokens"] == event["tokens"]


def test_a_board_on_a_terminal_and_elsewhere(capsys):
    for stream in (Terminal(), io.StringIO()):
        clock = Clock()
        board = Board("tokenize", stream, clock)
        board.tell({"event": "plan", "shards": 5, "done": 1, "missing": 4, "bytes": 4_000_000})
        for shard in (1, 2):
            board.tell({"event": "started", "shard": shard})
        clock.now = 5.0
        board.tell({"event": "progress", "shard": 1, "bytes": 400_000, "tokens": 90_000})
        clock.now = 10.0
        board.tell({"event": "done", "shard": 1, "bytes": 1_000_000, "tokens": 250_000})
        board.end()
        shown = stream.getvalue()
        last = "25% of 4.0 MB, 100.0 kB/s, 250,000 tokens, shards: 2 done, 1 at work, 2 to do, 30 s left"
        if stream.isatty():
            assert "█████░░░░░░░░░░░░░░░ 25% of 4.0 MB, 100.0 kB/s, 250,000 tokens" in shown
            assert "\r\x1b[2K" in shown and shown.endswith("\r\x1b[2K")
        else:
            assert shown == f"tokenize  {last}\n"
    assert capsys.readouterr().err.count("going on: 1 of 5 shards are there") == 2


def test_a_lost_worker_is_told_and_counted_once(capsys):
    clock, stream = Clock(), io.StringIO()
    board = Board("tokenize", stream, clock)
    board.tell({"event": "plan", "shards": 1, "done": 0, "missing": 1, "bytes": 1000})
    board.tell({"event": "started", "shard": 0})
    board.tell({"event": "progress", "shard": 0, "bytes": 900, "tokens": 9})
    board.tell({"event": "retry", "shard": 0, "status": -9})
    board.tell({"event": "started", "shard": 0})
    clock.now = 1.0
    assert "0% of 1.0 kB, 0 B/s, 0 tokens, shards: 0 done, 1 at work, 0 to do" in board.line()
    assert "shard 0 is made again" in capsys.readouterr().err
    # Nothing is shown where nobody looks.
    Board("tokenize", None, clock).tell({"event": "plan", "shards": 1, "done": 1, "missing": 0, "bytes": 0})
    assert capsys.readouterr().err == ""
