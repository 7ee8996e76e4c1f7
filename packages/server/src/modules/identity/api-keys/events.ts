import type { DomainEvent } from '../../../kernel/events.ts'
import type { ApiKeyRow } from './store.ts'

type KeyFacts = Pick<ApiKeyRow, 'id' | 'name' | 'actor_type' | 'user_id'>

/** Whom an event of a key is about. */
export const about = ({ id }: Pick<KeyFacts, 'id'>) => ({ object: 'api-key', recordId: id })

/** What each event of a key says: which key it is, never its secret. */
export const told = ({ name, actor_type, user_id }: KeyFacts) => ({ name, actor_type, user_id })

export const revocationOf = (key: KeyFacts): DomainEvent<'api_key.revoked'> => ({
  type: 'api_key.revoked',
  ...about(key),
  payload: told(key),
})
