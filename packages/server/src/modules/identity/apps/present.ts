import { apps, type Output } from '@kontor/contract'
import { hashSecret } from '../../../kernel/ids.ts'
import { presenterOf, resource } from '../../../kernel/resource.ts'
import type { ClientRow } from '../oauth/index.ts'
import type { DomainEvent } from '../../../kernel/events.ts'

type AppResource = Output<typeof apps.get>['data']
type AppWithSecret = Output<typeof apps.create>['data']

/** Identifies the current secret of an app without showing it. */
export const secretIdOf = ({ secret_hash }: Pick<ClientRow, 'secret_hash'>): string | null =>
  secret_hash === null ? null : hashSecret(secret_hash)

const present = presenterOf(apps.get.response.shape.data)

/** Presents an app, with how many members have connected it. */
export const presentApp = (row: ClientRow, people: number): AppResource =>
  present(row, {
    type: row.client_type,
    redirect_uris: [...row.redirect_uris],
    scopes: row.scopes === null ? null : [...row.scopes],
    secret_id: secretIdOf(row),
    people,
  })

/** Presents an app with its secret, once. */
export function presentWithSecret(row: ClientRow, people: number, secret: string | undefined): AppWithSecret {
  const { attributes } = presentApp(row, people)
  return resource('app', row.id, { ...attributes, client_secret: secret ?? null })
}

type AppEvent = 'app.created' | 'app.updated' | 'app.secret_rotated' | 'app.deleted'

/** Returns the event of a change of an app. */
export const eventOf = (type: AppEvent, { id, name }: Pick<ClientRow, 'id' | 'name'>): DomainEvent => ({
  type,
  object: 'app',
  recordId: id,
  payload: { name },
})
