/**
 * Sample data of `npm start`: a few rows of real public-domain lists. Companies from `s-and-p-500-companies` (PDDL),
 * people from `congress-legislators` (CC0); see `examples/data/README.md`.
 */
export const sampleCompanies = [
  { name: '3M', industry: 'Industrials', location: 'Saint Paul, Minnesota', domains: ['3m.example.com'] },
  { name: 'Adobe Inc.', industry: 'Information Technology', location: 'San Jose, California', domains: ['adobe.example.com'] },
  { name: 'Apple Inc.', industry: 'Information Technology', location: 'Cupertino, California', domains: ['apple.example.com'] },
  { name: 'Coca-Cola Company (The)', industry: 'Consumer Staples', location: 'Atlanta, Georgia', domains: ['coca-cola.example.com'] },
  { name: 'Ford Motor Company', industry: 'Consumer Discretionary', location: 'Dearborn, Michigan', domains: ['ford.example.com'] },
] as const

export const samplePeople = [
  { first_name: 'Maria', last_name: 'Cantwell', job_title: 'Senator', location: 'WA', phone: '+1 202-224-3441' },
  { first_name: 'Amy', last_name: 'Klobuchar', job_title: 'Senator', location: 'MN', phone: '+1 202-224-3244' },
  { first_name: 'Nydia', last_name: 'Velázquez', job_title: 'Representative', location: 'NY', phone: '+1 202-225-2361' },
  { first_name: 'Ben', last_name: 'Luján', job_title: 'Senator', location: 'NM', phone: '+1 202-224-6621' },
] as const

/** Stages of the sample deals, one for each sample company. */
export const sampleStages = ['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won'] as const
