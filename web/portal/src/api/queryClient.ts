// The cache of everything that is fetched. Data is shown from it at once and fetched again when a page opens.

import { QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  defaultOptions: {
    // Users retry: an error is shown with a button. `always` sends requests even if the browser believes it is offline,
    // which is often wrong in closed networks.
    queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});
