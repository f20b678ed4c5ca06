// Keeps the tabs and the history of each GraphQL path apart: catalogues have different schemas, and a query of one is
// of no use in another. What people choose once for all of them, like the theme, is shared.

const SHARED = new Set(['graphiql:theme']);

/** Returns the part of the browser's storage that belongs to a path. */
export function storageOf(path) {
  const store = window.localStorage;
  const prefix = `${path.replace(/\/+$/, '')}:`;
  const key = (name) => (SHARED.has(name) ? name : prefix + name);
  return {
    get length() {
      return Object.keys(store).filter((name) => name.startsWith(prefix)).length;
    },
    getItem: (name) => store.getItem(key(name)),
    setItem: (name, value) => store.setItem(key(name), value),
    removeItem: (name) => store.removeItem(key(name)),
    clear: () => {
      for (const name of Object.keys(store).filter((name) => name.startsWith(prefix))) {
        store.removeItem(name);
      }
    },
  };
}
