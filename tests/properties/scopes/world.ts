import type { TestApp } from '../../harness/app.ts'
import type { Json } from '../../harness/http.ts'
import { recordsOf, recordsPath } from '../../harness/records.ts'
import { schemasOf } from '../../harness/schemas.ts'

/** The objects of the world; of each there are records with a word of their own, and all are linked with each other. */
export const objects = ['person', 'company', 'deal', 'task', 'meeting', 'c_desk'] as const

export type ObjectName = (typeof objects)[number]

/** The word that stands in every record of an object, and in the comments on it, and nowhere else. */
export const wordOf = (object: ObjectName): string => `zq${object.replace('c_', '')}`

const nameIn = (object: ObjectName, serial: number): Json => {
  const name = `${wordOf(object)} ${serial}`
  if (object === 'person') return { name: { first_name: wordOf(object), last_name: String(serial) } }
  return object === 'task' || object === 'meeting' ? { title: name } : { name }
}

/** By relationship of an object, where it leads; both ends of each. */
export const relationships: Readonly<Record<ObjectName, Readonly<Record<string, ObjectName>>>> = {
  person: { company_id: 'company', deals: 'deal', tasks: 'task', meetings: 'meeting', desk_id: 'c_desk' },
  company: { people: 'person', deals: 'deal', tasks: 'task' },
  deal: { company_id: 'company', people: 'person', tasks: 'task' },
  task: { person_id: 'person', company_id: 'company', deal_id: 'deal', meeting_id: 'meeting' },
  meeting: { people: 'person', tasks: 'task' },
  c_desk: { seat_id: 'person' },
}

const isToMany = (name: string): boolean => !name.endsWith('_id')

/** A field whose text is the record's word. */
export const textField: Readonly<Record<ObjectName, string>> = {
  person: 'name',
  company: 'name',
  deal: 'name',
  task: 'title',
  meeting: 'title',
  c_desk: 'name',
}

export class World {
  readonly #app: TestApp
  readonly #records
  #serial = 0
  /** By object, one record that is linked to those of all others. */
  ids = {} as Record<ObjectName, string>
  comments = {} as Record<ObjectName, string>
  lists = {} as Record<ObjectName, string>

  constructor(app: TestApp) {
    this.#app = app
    this.#records = recordsOf(app, 'admin')
  }

  async create(object: ObjectName, attributes: Json = {}): Promise<string> {
    const made = await this.#records.create(object, { ...nameIn(object, ++this.#serial), ...attributes })
    return made.id
  }

  async begin(): Promise<void> {
    await schemasOf(this.#app).make(
      {
        name: { type: 'string', xSvcPrimary: true },
        seat_id: { xSvcRelationship: { kind: 'one-to-one', entity: 'person', field: 'desk_id' } },
      },
      { name: 'Desk' },
    )
    await this.renew()
  }

  /** Another set of records, linked in every way that there is. */
  async renew(): Promise<void> {
    const company = await this.create('company')
    const person = await this.create('person', { company_id: company })
    const deal = await this.create('deal', { company_id: company })
    const meeting = await this.create('meeting')
    const task = await this.create('task', {
      company_id: company,
      person_id: person,
      deal_id: deal,
      meeting_id: meeting,
    })
    const desk = await this.create('c_desk', { seat_id: person })
    this.ids = { person, company, deal, task, meeting, c_desk: desk }
    for (const [field, object] of [
      ['deals', 'deal'],
      ['meetings', 'meeting'],
    ] as const) {
      await this.#must(
        this.#app.api.post(`${recordsPath('person')}/${person}/relationships/${field}`, {
          body: { data: [{ type: object, id: this.ids[object] }] },
        }),
      )
    }
    for (const object of objects) {
      const message = [{ type: 'paragraph', content: [{ type: 'text', text: wordOf(object) }] }]
      this.comments[object] = (
        await this.#must(
          this.#app.api.post('/workspaces/acme/comments', {
            body: { entity: object, owner_id: this.ids[object], message },
          }),
        )
      )._id
      const list = await this.#must(
        this.#app.api.post(`/workspaces/acme/objects/${object}/lists`, { body: { title: 'All', type: 'static' } }),
      )
      this.lists[object] = list.data.id
      await this.#must(
        this.#app.api.post(`/workspaces/acme/objects/${object}/lists/${this.lists[object]}/resources`, {
          body: { data: [{ type: object, id: this.ids[object] }] },
        }),
      )
    }
  }

  /** Deletes a record, with a credential that is not narrowed. */
  async remove(object: ObjectName, id: string): Promise<void> {
    await this.#must(this.#records.remove(object, [id], { as: 'admin' }))
  }

  async #must(answer: ReturnType<TestApp['api']['post']>): Promise<Json> {
    const { status, body } = await answer
    if (status >= 300) throw new Error(JSON.stringify(body))
    return body
  }
}

/** The body of a call to another record along a relationship. */
export const linkBody = (relationship: string, type: ObjectName, id: string): Json => ({
  data: isToMany(relationship) ? [{ type, id }] : { type, id },
})

export { isToMany }
