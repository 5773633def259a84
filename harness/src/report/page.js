// Unfolds, folds and looks for rows. Everything can be read without it.
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
