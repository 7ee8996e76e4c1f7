/** The properties of an object whose one field is its name. */
export const nameOnly = { name: { type: 'string', xSvcPrimary: true } }
