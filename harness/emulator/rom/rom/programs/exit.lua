-- exit: ends the shell.

shell.exit()
