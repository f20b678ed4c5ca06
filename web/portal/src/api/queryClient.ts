// The cache of everything that is fetched. Data is shown from it at once and fetched again when a page opens.

import { QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  defaultOptions: {
    // People decide about retries: an error is shown with a button. `always` also tries while the browser believes that it
    // is offline, which it often does wrongly in closed networks.
    queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});
