// Unfolds, folds, copies and looks for rows. Everything can be read without it.
const rows = () => document.querySelectorAll("[data-row]");
const all = (open) => document.querySelectorAll("main details").forEach((one) => (one.open = open));
document.querySelectorAll("[data-open]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => all(button.dataset.open === "yes"));
});
const find = document.querySelector("#find");
if (find) {
    find.hidden = false;
    let waiting;
    find.addEventListener("input", () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
            const wanted = find.value.trim().toLowerCase();
            rows().forEach((row) => (row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted)));
            document.querySelectorAll("details.fold").forEach((fold) => {
                fold.hidden = !fold.querySelector("[data-row]:not([hidden])");
                if (wanted !== "") fold.open = !fold.hidden;
            });
        }, 120);
    });
    document.addEventListener("keydown", (event) => {
        if (event.key === "/" && document.activeElement !== find) {
            event.preventDefault();
            find.focus();
        }
    });
}

// A link into something that is folded unfolds it.
const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
const copy = async (text) => {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        // No clipboard for this page: the old way, which needs no permission.
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        if (!done) throw new Error("not copied");
    }
};
document.querySelectorAll("[data-copy]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", async () => {
        const places = document.querySelectorAll(`#${button.dataset.copy} pre`);
        const text = [...places].map((place) => place.textContent).join("  ⋮\n");
        const status = button.parentElement.querySelector("[role=status]");
        status.textContent = await copy(text).then(() => "copied", () => "not copied: select it by hand");
    });
});
