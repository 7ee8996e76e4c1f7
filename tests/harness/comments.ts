import type { RequestOptions } from './api.ts'
import type { TestApp } from './app.ts'
import type { Answer, Json } from './http.ts'

export const commentsPath = '/workspaces/acme/comments'

/** A message of one paragraph, as little of it as is accepted. */
export const paragraph = (text: string): Json => [{ type: 'paragraph', content: [{ type: 'text', text }] }]

/** Short forms for comments; made by the member unless another caller is named. */
export function commentsOf({ api }: Pick<TestApp, 'api'>) {
  const post = (entity: string, ownerId: string, message: Json, options: RequestOptions = {}): Promise<Answer> =>
    api.post(commentsPath, { as: 'member', body: { entity, owner_id: ownerId, message }, ...options })
  /** Creates a comment and returns the row; throws where it was refused. */
  const create = async (entity: string, ownerId: string, text = 'Hello', options?: RequestOptions): Promise<Json> => {
    const { status, body } = await post(entity, ownerId, paragraph(text), options)
    if (status !== 201) throw new Error(`no comment: ${JSON.stringify(body)}`)
    return body
  }
  const get = (id: string, options: RequestOptions = {}): Promise<Answer> =>
    api.get(`${commentsPath}/${id}`, { as: 'member', ...options })
  const patch = (id: string, message: Json, options: RequestOptions = {}): Promise<Answer> =>
    api.patch(`${commentsPath}/${id}`, { as: 'member', body: { message }, ...options })
  const remove = (id: string, options: RequestOptions = {}): Promise<Answer> =>
    api.delete(`${commentsPath}/${id}`, { as: 'member', ...options })
  return { post, create, get, patch, remove }
}
