// Tabs over a panel; arrow keys move among them. The panel has the id `{id}-panel`.

interface TabsProps {
  id: string;
  label: string;
  tabs: readonly string[];
  chosen: string;
  onChoose: (tab: string) => void;
}

export function Tabs({ id, label, tabs, chosen, onChoose }: TabsProps) {
  const step = (by: number) => {
    const next = tabs[(tabs.indexOf(chosen) + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div
      className="segments tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') step(1);
        if (event.key === 'ArrowLeft') step(-1);
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab}
          id={`${id}-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === chosen}
          aria-controls={`${id}-panel`}
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => onChoose(tab)}
        >
          {tab}
        </button>
      ))}
    </div>
  );
}
