-- http: URLs that are refused.

for _, url in ipairs({ "", "foo", "http:", "http://", "http:/x", "https:x", "ftp://x/", "ws://x/", "http//x", "HTTP", "://x", "javascript:1" }) do
    print(url, http.checkURL(url))
    print(url, http.get(url))
end
