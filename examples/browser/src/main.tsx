import { keepFresh } from '@kontor/client/react-query'
import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { people, queryClient, rest, session } from './kontor.ts'
import { PeopleList } from './people-list.tsx'
import { PersonForm } from './person-form.tsx'

function App() {
  const [id, setId] = useState<string>()
  return (
    <main className={id === undefined ? '' : 'has-choice'}>
      <PeopleList chosen={id} onChoose={setId} />
      {id !== undefined && <PersonForm key={id} id={id} onClose={() => setId(undefined)} />}
    </main>
  )
}

const root = createRoot(document.getElementById('root') as HTMLElement)

try {
  if (!(await session.resume())) await session.signIn()
  // Before the first question, so that none is asked twice.
  await new Promise<void>((resolve, reject) => {
    keepFresh(queryClient, rest, people.workspace, { onConnect: resolve }).catch(reject)
  })
  root.render(
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>,
  )
} catch (error) {
  root.render(<p className="problem">{String(error)}</p>)
}
