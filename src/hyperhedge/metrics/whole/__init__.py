"""One whole hypergraph against another: statistics, distances, copying, and seams."""
