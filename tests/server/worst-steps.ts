const path = 'trigger.state.event.data.body.a'

/** A step with conditions that name the body thousands of times. */
export const namingStep = {
  plugin_id: 'code:execute',
  filters: Array.from({ length: 20 }, () => ({
    field: path,
    condition: { operator: 'Contains', value: `{{${path}}}`.repeat(250) },
  })),
  input: { code: 'export const handler = () => null' },
}

/** A large body for it. */
export const namedBody = { a: 'Äx'.repeat(200_000) }

/** An e-mail with as much HTML as a step may have, and a variable. */
export const htmlStep = {
  plugin_id: 'svc:send:email',
  input: {
    to: 'a@b.example',
    subject: 'Worst',
    text: 'Worst',
    html: `<a ${'a=b '.repeat(120_000)}>{{${path}}}</a>`,
  },
}
