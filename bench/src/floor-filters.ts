/** Index tables by what they answer: where the records of a value stand in them. `:value` is the value. */
export const indexes = {
  'filter[name]': {
    table: 'field_text',
    id: 'record_id',
    where: "i.field = 'person.name' and i.is_null = 0 and i.text_value = :value",
  },
  'filter[company_id]': {
    table: 'link',
    id: 'from_id',
    where: "i.relationship = 'person.company_id' and i.to_id = :value and i.hidden_by is null",
  },
  'filter[score]': {
    table: 'field_number',
    id: 'record_id',
    where: "i.field = 'person.score' and i.is_null = 0 and i.number_value = :value",
  },
} as const

type Indexed = keyof typeof indexes

/** A filter that the floor knows: equality by an index, or a part of a name by a scan of the documents. */
export type Filter =
  | { readonly by: Indexed; readonly value: string | number }
  | { readonly by: 'scan' | 'search'; readonly value: string }

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The filter of a query such as `filter%5Bname%5D=ada&`. */
export function filterOf(query: string): Filter {
  const [key = '', value = ''] = query.slice(0, -1).split('=').map(decodeURIComponent)
  if (key === 'filter[name][Contains]') return { by: 'scan', value: folded(value) }
  if (key === 'search') return { by: 'search', value: folded(value) }
  if (!(key in indexes)) throw new Error(`The floor knows no ${key}`)
  return { by: key as Indexed, value: key === 'filter[score]' ? Number(value) : folded(value) }
}

/** For each index, a statement made of its words. */
export const perIndex = <T>(make: (index: (typeof indexes)[Indexed]) => T): Record<Indexed, T> => ({
  'filter[name]': make(indexes['filter[name]']),
  'filter[company_id]': make(indexes['filter[company_id]']),
  'filter[score]': make(indexes['filter[score]']),
})
