const rows = Array.from(document.querySelectorAll('tr[data-verdict]'));
const boxes = Array.from(document.querySelectorAll('nav input'));
function filter() {
  const shown = boxes.filter(box => box.checked).map(box => box.value);
  rows.forEach(row => { row.hidden = !shown.includes(row.dataset.verdict); });
  document.querySelectorAll('section').forEach(section => {
    section.hidden = section.querySelector('tr[data-verdict]:not([hidden])') === null;
  });
}
boxes.forEach(box => box.addEventListener('change', filter));
filter();
