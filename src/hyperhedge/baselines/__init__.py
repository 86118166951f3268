"""Statistical generators to compare with: random incidences, configuration models, expected degrees and blocks."""
