"""The MCP server: an agent reads where its work stands, hands it over and comments. It can't decide."""
