"""Tools of real packages, read from the installed packages when a test needs them.

sources      every source by its name, and what a tool is
mcp_servers  servers of the Model Context Protocol, asked over stdio
openapi      operations of OpenAPI documents
frameworks   what agent frameworks make of types and functions, asked in the clients' environment
"""
