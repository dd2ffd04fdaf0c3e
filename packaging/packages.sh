# Debian packages, sourced by run and check. What is missing is installed as root or with sudo; otherwise the one line to run is printed.

# To build: a C compiler and linker, and what the file dialog looks up.
BUILD="build-essential pkg-config"
# To open a window: what winit loads at run time, keyboard maps, OpenGL or Vulkan with their drivers, the software ones included.
WINDOW="libx11-6 libx11-xcb1 libxcursor1 libxi6 libxrandr2 libxkbcommon-x11-0 libegl1 libgl1 libgl1-mesa-dri libvulkan1 mesa-vulkan-drivers"
# To work without a screen.
HEADLESS="xvfb xauth xdotool imagemagick x11-utils"

missing() {
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

need() {
  command -v dpkg-query >/dev/null || return 0 # not Debian: trust what is there
  wanted=$(missing "$@")
  [ -z "$wanted" ] && return 0
  line="apt-get install -y --no-install-recommends $wanted"
  if [ "$(id -u)" = 0 ]; then
    apt-get update -q && DEBIAN_FRONTEND=noninteractive $line
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo apt-get update -q && sudo DEBIAN_FRONTEND=noninteractive $line
  else
    echo "These packages are missing. Install them with this line, then try again:" >&2
    echo "  sudo apt-get update && sudo $line" >&2
    exit 1
  fi
}

need_rust() {
  command -v cargo >/dev/null || { [ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"; }
  command -v cargo >/dev/null || { echo "Rust is missing: install it from https://rustup.rs, then try again." >&2; exit 1; }
}

has_display() { [ -n "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ]; }
