"""Lines of integers against Python's own int and str."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperhedge.io.integer_lines import format_integer_lines, parse_integer_lines

lines_of_ids = st.lists(st.lists(st.one_of(st.integers(0, 30), st.integers(0, 10**18 - 1)), max_size=4), max_size=6)


@given(lines_of_ids, st.sampled_from([" ", "\t", "  "]), st.booleans())
def test_integers_are_read_as_python_reads_them(lines, blank, newline_at_the_end):
    text = "\n".join(blank.join(map(str, line)) for line in lines) + "\n" * newline_at_the_end
    values, counts = parse_integer_lines(text.encode())
    assert values.tolist() == [value for line in lines for value in line]
    assert counts.tolist() == [len(line) for line in lines if line]


@pytest.mark.parametrize("word", ["00", "01", "007", "1" * 19, "9" * 19, "9" * 30])
def test_numbers_that_are_no_ids_or_might_not_fit_are_left_to_another_reader(word):
    for text in (word, f"1 {word} 2", f"3\n{word}\n"):
        assert parse_integer_lines(text.encode()) is None


@given(st.lists(st.lists(st.one_of(st.integers(0, 30), st.integers(0, 2**63 - 1)), min_size=1, max_size=4), max_size=6))
def test_integers_are_written_as_python_writes_them(lines):
    values = np.array([value for line in lines for value in line], dtype=np.int64)
    indptr = np.cumsum([0, *map(len, lines)])
    assert format_integer_lines(values, indptr).decode() == "".join(" ".join(map(str, line)) + "\n" for line in lines)
