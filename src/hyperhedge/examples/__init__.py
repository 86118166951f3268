"""Small hypergraphs that come with the package.

``southern-women.hif.json``: A. Davis, B. B. Gardner and M. R. Gardner, *Deep South*, University of Chicago
Press, 1941: 18 women (nodes) and the 14 social events (hyperedges) that they attended.
"""
