"""Tools of the real world, gathered from installed packages when a test asks for them: no schema lies in this project.

sources      every source by its name, and what a tool is
mcp_servers  servers of the Model Context Protocol, asked over stdio
openapi      operations of OpenAPI documents
frameworks   what agent frameworks make of types and functions, asked in the clients' environment
"""
