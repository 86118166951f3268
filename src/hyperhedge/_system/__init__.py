"""The machine and the installation: processes, memory, compiled code, optional and lazy imports."""
