"""What a tool call would do: tools by name, shell command lines, programs, protected files. Pure."""
