export type Subject = 'contact';
