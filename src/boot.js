// Starts the page: theme, progress, the WebAssembly module, and a readable message when any of it fails.
// A classic script in the head, so that it runs before the first paint; Trunk.toml writes the tag and its data-*.
(() => {
  const { js, wasm } = document.currentScript.dataset;

  // Before anything is painted, or a page in the theme not chosen would flash. The key is platform/theme.rs's.
  try {
    const theme = localStorage.getItem("decodescope.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme holds then.
  }

  const show = (text, failed) => {
    const boot = document.getElementById("boot");
    if (!boot) return;
    boot.textContent = text;
    boot.classList.toggle("boot-failed", failed);
    boot.setAttribute("role", failed ? "alert" : "status");
  };

  const start = async () => {
    if (typeof WebAssembly !== "object") {
      show("This browser does not run WebAssembly, which Decodescope needs. Any current browser does.", true);
      return;
    }
    if (location.protocol === "file:") {
      show("Browsers run no modules from files. Serve this folder, for example: python3 -m http.server", true);
      return;
    }
    show("Loading Decodescope…", false);
    try {
      const module = await import(new URL(js, document.baseURI));
      await module.default({ module_or_path: new URL(wasm, document.baseURI) });
      document.getElementById("boot")?.remove();
    } catch (error) {
      console.error(error);
      // A panic while starting has already said so, in its own banner.
      if (document.getElementById("panic")) document.getElementById("boot")?.remove();
      else show(`Decodescope could not start: ${error?.message ?? error}. Reload to try again.`, true);
    }
  };

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
