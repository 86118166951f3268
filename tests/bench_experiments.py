"""Experiments that run in a moment."""

TINY = """
name = "tiny"
kind = "real"
seeds = 2
[protocol]
train = 16
test = 8
generated = 8
bootstrap = 10
permutations = 9
[datasets.committee]
n = 10
m = 6
[datasets.configuration]
n = 10
m = [5, 6]
[methods.floor]
model = "real"
[methods.er]
model = "erdos-renyi"
title = "ER-HG"
options = { repair = false }
"""

HEDGE = """
[methods.hedge]
model = "hedge"
seeds = 1
options = { iterations = 3, width = 16, channels = 8, blocks = 1, steps = 2 }
"""
