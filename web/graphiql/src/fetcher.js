// Sends queries to a GraphQL path of this server. The header x-cantata-session makes the cookie of a session count; the server
// ignores it beside a credential that somebody types into the editor of headers.

/** Returns the function that GraphiQL sends its queries with. */
export function fetcherOf(path) {
  return async (request, { headers } = {}) => {
    const response = await fetch(path, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-cantata-session': '1', ...headers },
      body: JSON.stringify(request),
    });
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      // Proxies answer in their own way; what they say helps more than the complaint of the JSON parser.
      const message = `POST ${path}: expected JSON, found status ${response.status} and: ${text.slice(0, 500)}`;
      return { errors: [{ message }] };
    }
  };
}
