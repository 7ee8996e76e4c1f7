import { isKontorError, records } from '@kontor/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { people, rest, trpc, type Person } from './kontor.ts'

export function PersonForm({ id, onClose }: { id: string; onClose: () => void }) {
  const input = { ...people, id }
  // Over REST, whose ETag is the version; by the key of tRPC, so that events keep it fresh.
  const { data, error, refetch } = useQuery({
    queryKey: trpc.records.get.queryKey(input),
    queryFn: async ({ signal }) => {
      const { body, headers } = await rest.call(records.get, input, { signal })
      return { person: body.data.attributes as Person, version: headers.get('etag') ?? '' }
    },
  })
  /** The typed text, and the version that it changes; undefined while nothing is typed. */
  const [draft, setDraft] = useState<{ title: string; version: string }>()
  const save = useMutation({
    mutationFn: ({ title, version }: { title: string; version: string }) =>
      rest.call(
        records.update,
        { ...input, body: { data: { type: 'person', attributes: { job_title: title } } } },
        { ifMatch: version },
      ),
    onSuccess: async () => {
      await refetch()
      setDraft(undefined)
    },
    onError: () => void refetch(),
  })
  if (error !== null) return <p className="problem">{error.message}</p>
  if (data === undefined) return <p>Loading…</p>

  const { person, version } = data
  const theirs = person.job_title ?? ''
  const keepTheirs = () => {
    save.reset()
    setDraft(undefined)
  }
  const isConflict = isKontorError(save.error, 'version_mismatch') && draft !== undefined
  return (
    <form
      className="person"
      onSubmit={(event) => {
        event.preventDefault()
        if (draft !== undefined) save.mutate(draft)
      }}
    >
      <button type="button" className="close" onClick={onClose}>
        Close
      </button>
      <h2>{person.name?.full_name ?? 'No name'}</h2>
      <label>
        Job title
        <input
          disabled={save.isPending}
          value={draft?.title ?? theirs}
          onChange={({ target }) => setDraft({ title: target.value, version: draft?.version ?? version })}
        />
      </label>
      {isConflict ? (
        <Conflict theirs={theirs} onMine={() => save.mutate({ ...draft, version })} onTheirs={keepTheirs} />
      ) : (
        <button disabled={draft === undefined || save.isPending}>Save</button>
      )}
      {save.error !== null && !isConflict && <p className="problem">{save.error.message}</p>}
    </form>
  )
}

function Conflict({ theirs, onMine, onTheirs }: { theirs: string; onMine: () => void; onTheirs: () => void }) {
  return (
    <div role="alert">
      <p>
        This was changed while you were typing. It is now <strong>{theirs === '' ? 'empty' : theirs}</strong>.
      </p>
      <button type="button" onClick={onMine}>
        Save mine
      </button>
      <button type="button" onClick={onTheirs}>
        Keep theirs
      </button>
    </div>
  )
}
