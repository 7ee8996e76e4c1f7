import { infiniteListOptions } from '@kontor/client/react-query'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { people, trpc, type Person } from './kontor.ts'

export function PeopleList({ chosen, onChoose }: { chosen: string | undefined; onChoose: (id: string) => void }) {
  const [text, setText] = useState('')
  const search = useDeferredValue(text.trim())
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...infiniteListOptions(trpc.resources.list, {
      ...people,
      ...(search === '' ? {} : { search }),
      sortOrder: { column: 'name', dir: 'ASC' },
      fields: { person: ['name', 'job_title'] },
    }),
    placeholderData: keepPreviousData,
  })
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (end.current === null || !hasNextPage || isFetchingNextPage) return undefined
    const ahead = { rootMargin: '400px' }
    const watcher = new IntersectionObserver(([seen]) => seen?.isIntersecting && void fetchNextPage(), ahead)
    watcher.observe(end.current)
    return () => watcher.disconnect()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])

  return (
    <section className="people">
      <header>
        <h1>People</h1>
        <span>{data?.pages[0]?.meta.total_records}</span>
        <input
          type="search"
          aria-label="Search"
          placeholder="Search"
          onChange={({ target }) => setText(target.value)}
        />
      </header>
      {error !== null && <p className="problem">{error.message}</p>}
      <ul>
        {data?.pages
          .flatMap((page) => page.data)
          .map(({ id, attributes }) => {
            const { name, job_title: title } = attributes as unknown as Person
            return (
              <li key={id}>
                <button aria-current={id === chosen} onClick={() => onChoose(id)}>
                  <strong>{name?.full_name ?? 'No name'}</strong>
                  <span>{title}</span>
                </button>
              </li>
            )
          })}
      </ul>
      <div ref={end}>{isFetchingNextPage && 'Loading…'}</div>
    </section>
  )
}
