import { DataSource } from 'typeorm';

export const source = DataSource;
