/** The object that examples create, and that the sample workspace has. */
export const exampleObject = {
  name: 'Committee',
  plural: 'Committees',
  properties: {
    founded: { xSvcType: 'date', title: 'Founded' },
    website: { xSvcType: 'url', title: 'Website' },
    jurisdiction: { xSvcType: 'long_text', title: 'Jurisdiction' },
  },
} as const

/** The relationship that examples add, of deals to persons. */
export const exampleRelationship = {
  deal: {
    introduced_by: {
      title: 'Introduced by',
      xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'introductions' },
    },
  },
  person: {
    introductions: {
      title: 'Introductions',
      xSvcRelationship: { kind: 'one-to-many', entity: 'deal', field: 'introduced_by' },
    },
  },
} as const
