// Stands in for react-style-singleton, which puts style elements into the page; the security policy refuses those.
// Their only use is to keep the page from scrolling behind a dialog, and this page does not scroll.

export const styleSingleton = () => () => null;
