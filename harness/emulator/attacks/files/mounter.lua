-- A program mounts nothing of the host.
-- prints: false
print(mounter and mounter.mount("/host", "/etc") or false)
