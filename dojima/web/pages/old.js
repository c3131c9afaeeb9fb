// For a browser that does not start the page's modules, because it knows none or not all that is in them: it says so. Itself in words
// that every browser knows. It runs behind the modules.
(function () {
  if (window.dojima) return;
  var box = document.getElementById("link");
  box.setAttribute("data-state", "down");
  box.textContent = "this browser cannot show the page: one of 2021 or later is needed";
})();
