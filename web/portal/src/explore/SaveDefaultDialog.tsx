// Saves the filters, columns and order of the page as the default of the catalogue.

import { json } from '../api/client';
import { queryClient } from '../api/queryClient';
import { FormDialog } from '../design/FormDialog';
import { announce } from '../shell/announce';
import { texts } from '../texts';
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
    announce(texts.explore.defaultSaved);
    onClose();
  };
  const parts = [
    state.facets && texts.explore.partFilters,
    state.columns && texts.explore.partColumns,
    state.sort && texts.explore.partOrder,
  ].filter(Boolean);
  return (
    <FormDialog
      title={texts.explore.saveDefault}
      action={texts.explore.save}
      pendingAction={texts.explore.saving}
      errorTitle={texts.explore.defaultNotSaved}
      onSubmit={save}
      onClose={onClose}
    >
      <p>{texts.explore.defaultMeaning(catalogue.label, parts.join(', '))}</p>
    </FormDialog>
  );
}
