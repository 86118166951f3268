"""The hypergraph: its labels, validation, isomorphism, summary and picture in notebooks."""
