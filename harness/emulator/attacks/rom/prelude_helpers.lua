-- What the bios was given to start with is not there for programs.
-- prints: nil	nil	nil	nil	nil
print(_LOAD_FILE, term.native().begin_text, os.startup_failed, utf8.next_code, term.begin_text)
