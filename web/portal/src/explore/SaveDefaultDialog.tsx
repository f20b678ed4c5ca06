// Saves the filters, columns and order of the page as the default of the catalogue.

import { json } from '../api/client';
import { queryClient } from '../api/queryClient';
import { FormDialog } from '../design/FormDialog';
import { announce } from '../shell/announce';
import { useExplore } from './context';

export default function SaveDefaultDialog({ onClose }: { onClose: () => void }) {
  const { catalogue, state, change } = useExplore();
  const save = async () => {
    await json(`/admin/catalogues/${encodeURIComponent(catalogue.id)}/display`, {
      method: 'PUT',
      body: {
        facets: state.facets ?? undefined,
        columns: state.columns?.map(({ name }) => name),
        sorting: state.sort ?? undefined,
      },
    });
    await queryClient.invalidateQueries({ queryKey: ['catalogue', catalogue.id] });
    change({ ...state, facets: null, columns: null, sort: null });
    announce('Saved as the default');
    onClose();
  };
  const parts = [state.facets && 'filters', state.columns && 'columns', state.sort && 'order'].filter(Boolean);
  return (
    <FormDialog
      title="Save as the default"
      action="Save"
      pendingAction="Saving…"
      errorTitle="The default was not changed"
      onSubmit={save}
      onClose={onClose}
    >
      <p>
        Everybody who opens {catalogue.label} sees these {parts.join(', ')} at first. They are written to the
        configuration of the catalogue.
      </p>
    </FormDialog>
  );
}
