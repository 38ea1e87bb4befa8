"""Bad arguments of data sets, generated or read: each is refused by the name of the quantity, with its value.

A row is a call and the words that its error must contain; the fixture ``refused`` says what else is asked of an error.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

TABLE = r"""
fl.synthetic('0.1', 1, seed=0, n_clients=3)  # alpha='0.1'
fl.synthetic(None, 1, seed=0, n_clients=3)  # alpha=None
fl.synthetic(True, 1, seed=0, n_clients=3)  # alpha=True
fl.synthetic(0.1j, 1, seed=0, n_clients=3)  # alpha=0.1j
fl.synthetic([0.1], 1, seed=0, n_clients=3)  # alpha=[0.1]
fl.synthetic(1, float, seed=0, n_clients=3)  # beta=the class
fl.synthetic(1, -0.1, seed=0, n_clients=3)  # beta=-0.1
fl.synthetic(1, nan, seed=0, n_clients=3)  # beta=nan
fl.synthetic(1, inf, seed=0, n_clients=3)  # beta=inf
fl.synthetic(1, '0.1', seed=0, n_clients=3)  # beta='0.1'
fl.synthetic(1, 1, seed=True, n_clients=3)  # seed=True
fl.synthetic(1, 1, seed=2**64, n_clients=3)  # seed=18446744073709551616
fl.synthetic(1, 1, seed=[1], n_clients=3)  # seed=[1]
fl.synthetic(1, 1, seed=nan, n_clients=3)  # seed=nan
fl.synthetic(1, 1, seed=-1, n_clients=3)  # seed=-1
fl.synthetic(1, 1, seed=0, n_clients=True, features=3, classes=3, convention='variance')  # n_clients=True
fl.synthetic(1, 1, seed=0, n_clients=nan, features=3, classes=3, convention='variance')  # n_clients=nan
fl.synthetic(1, 1, seed=0, n_clients=inf, features=3, classes=3, convention='variance')  # n_clients=inf
fl.synthetic(1, 1, seed=0, n_clients=2j, features=3, classes=3, convention='variance')  # n_clients=2j
fl.synthetic(1, 1, seed=0, n_clients=3, features=[2], classes=3, convention='variance')  # features=[2]
fl.synthetic(1, 1, seed=0, n_clients=3, features=int, classes=3, convention='variance')  # features=the class
fl.synthetic(1, 1, seed=0, n_clients=3, features=0, classes=3, convention='variance')  # features=0
fl.synthetic(1, 1, seed=0, n_clients=3, features=3, classes=-1, convention='variance')  # classes=-1
fl.synthetic(1, 1, seed=0, n_clients=3, features=3, classes=2.5, convention='variance')  # classes=2.5
fl.synthetic(1, 1, seed=0, n_clients=3, features=3, classes='3', convention='variance')  # classes='3'
fl.synthetic(1, 1, seed=0, n_clients=3, features=3, classes=None, convention='variance')  # classes=None
fl.synthetic(1, 1, seed=0, n_clients=3, features=3, classes=3, convention=None)  # convention=None
fl.synthetic(1, 1, seed=0, n_clients=3, features=3, classes=3, convention=True)  # convention=True
fl.synthetic(1, 1, seed=0, n_clients=3, features=3, classes=3, convention=str)  # convention=the class
fl.synthetic(1, 1, seed=0, n_clients=3, features=3, classes=3, convention='splendid')  # convention='splendid'
fl.synthetic(1, 1, seed=0, n_clients=3, sizes='x')  # sizes='x'
fl.synthetic(1, 1, seed=0, n_clients=3, sizes=3)  # sizes=3
fl.synthetic(1, 1, seed=0, n_clients=3, sizes=[1, 2])  # sizes=[1,
fl.synthetic(1, 1, seed=0, n_clients=3, sizes=[0, 1, 2])  # sizes=[0,
fl.synthetic(1, 1, seed=0, n_clients=3, sizes=[1.5, 2, 3])  # sizes=[1.5,
fl.synthetic(1, 1, seed=0, n_clients=3, sizes=None)  # sizes contains
fl.power_law_sizes(True, 30, exponent=1, least=1, seed=0)  # n_clients=True
fl.power_law_sizes(nan, 30, exponent=1, least=1, seed=0)  # n_clients=nan
fl.power_law_sizes(inf, 30, exponent=1, least=1, seed=0)  # n_clients=inf
fl.power_law_sizes(2j, 30, exponent=1, least=1, seed=0)  # n_clients=2j
fl.power_law_sizes(3, [2], exponent=1, least=1, seed=0)  # total=[2]
fl.power_law_sizes(3, int, exponent=1, least=1, seed=0)  # total=the class
fl.power_law_sizes(3, 10**30, exponent=1, least=1, seed=0)  # total=1000000000000000000000000000000
fl.power_law_sizes(3, 0, exponent=1, least=1, seed=0)  # total=0
fl.power_law_sizes(3, 30, exponent=0.1j, least=1, seed=0)  # exponent=0.1j
fl.power_law_sizes(3, 30, exponent=[0.1], least=1, seed=0)  # exponent=[0.1]
fl.power_law_sizes(3, 30, exponent=float, least=1, seed=0)  # exponent=the class
fl.power_law_sizes(3, 30, exponent=object(), least=1, seed=0)  # exponent=<object
fl.power_law_sizes(3, 30, exponent=1, least=-1, seed=0)  # least=-1
fl.power_law_sizes(3, 30, exponent=1, least=2.5, seed=0)  # least=2.5
fl.power_law_sizes(3, 30, exponent=1, least='3', seed=0)  # least='3'
fl.power_law_sizes(3, 30, exponent=1, least=None, seed=0)  # least=None
fl.power_law_sizes(3, 30, exponent=1, least=1, seed=-1)  # seed=-1
fl.power_law_sizes(3, 30, exponent=1, least=1, seed=2.5)  # seed=2.5
fl.power_law_sizes(3, 30, exponent=1, least=1, seed='3')  # seed='3'
fl.power_law_sizes(3, 30, exponent=1, least=1, seed=True)  # seed=True
fl.split_by_class([0, 1] * 10, True, seed=0, sizes=[5, 5, 5], classes_per_client=2)  # n_clients=True
fl.split_by_class([0, 1] * 10, nan, seed=0, sizes=[5, 5, 5], classes_per_client=2)  # n_clients=nan
fl.split_by_class([0, 1] * 10, inf, seed=0, sizes=[5, 5, 5], classes_per_client=2)  # n_clients=inf
fl.split_by_class([0, 1] * 10, 2j, seed=0, sizes=[5, 5, 5], classes_per_client=2)  # n_clients=2j
fl.split_by_class([0, 1] * 10, 3, seed=2.5, sizes=[5, 5, 5], classes_per_client=2)  # seed=2.5
fl.split_by_class([0, 1] * 10, 3, seed='3', sizes=[5, 5, 5], classes_per_client=2)  # seed='3'
fl.split_by_class([0, 1] * 10, 3, seed=None, sizes=[5, 5, 5], classes_per_client=2)  # seed=None
fl.split_by_class([0, 1] * 10, 3, seed=True, sizes=[5, 5, 5], classes_per_client=2)  # seed=True
fl.split_by_class([0, 1] * 10, 3, seed=0, sizes='x', classes_per_client=2)  # sizes='x'
fl.split_by_class([0, 1] * 10, 3, seed=0, sizes=3, classes_per_client=2)  # sizes has
fl.split_by_class([0, 1] * 10, 3, seed=0, sizes=[1, 2], classes_per_client=2)  # sizes has
fl.split_by_class([0, 1] * 10, 3, seed=0, sizes=[0, 1, 2], classes_per_client=2)  # sizes has
fl.split_by_class([0, 1] * 10, 3, seed=0, sizes=[5, 5, 5], classes_per_client=[2])  # classes_per_client=[2]
fl.split_by_class([0, 1] * 10, 3, seed=0, sizes=[5, 5, 5], classes_per_client=int)  # classes_per_client=the class
fl.split_by_class([0, 1] * 10, 3, seed=0, sizes=[5, 5, 5], classes_per_client=0)  # classes_per_client=0
fl.opposite_labels([], (0, 1), seed=0, client_size=3, evaluation=0.2, shuffled=False)  # data=[]
fl.opposite_labels(object(), (0, 1), seed=0, client_size=3, evaluation=0.2, shuffled=False)  # data=<object
fl.opposite_labels('quad', (0, 1), seed=0, client_size=3, evaluation=0.2, shuffled=False)  # data='quad'
fl.opposite_labels(None, (0, 1), seed=0, client_size=3, evaluation=0.2, shuffled=False)  # data=None
fl.opposite_labels(digits, 'x', seed=0, client_size=3, evaluation=0.2, shuffled=False)  # positive='x'
fl.opposite_labels(digits, None, seed=0, client_size=3, evaluation=0.2, shuffled=False)  # positive=None
fl.opposite_labels(digits, 3, seed=0, client_size=3, evaluation=0.2, shuffled=False)  # positive=3
fl.opposite_labels(digits, (0, 1), seed=2**64, client_size=3, evaluation=0.2, shuffled=False)  # seed=18446744073709551616
fl.opposite_labels(digits, (0, 1), seed=[1], client_size=3, evaluation=0.2, shuffled=False)  # seed=[1]
fl.opposite_labels(digits, (0, 1), seed=nan, client_size=3, evaluation=0.2, shuffled=False)  # seed=nan
fl.opposite_labels(digits, (0, 1), seed=-1, client_size=3, evaluation=0.2, shuffled=False)  # seed=-1
fl.opposite_labels(digits, (0, 1), seed=0, client_size=-1, evaluation=0.2, shuffled=False)  # client_size=-1
fl.opposite_labels(digits, (0, 1), seed=0, client_size=2.5, evaluation=0.2, shuffled=False)  # client_size=2.5
fl.opposite_labels(digits, (0, 1), seed=0, client_size='3', evaluation=0.2, shuffled=False)  # client_size='3'
fl.opposite_labels(digits, (0, 1), seed=0, client_size=None, evaluation=0.2, shuffled=False)  # client_size=None
fl.opposite_labels(digits, (0, 1), seed=0, client_size=3, evaluation='0.5', shuffled=False)  # evaluation='0.5'
fl.opposite_labels(digits, (0, 1), seed=0, client_size=3, evaluation=None, shuffled=False)  # evaluation=None
fl.opposite_labels(digits, (0, 1), seed=0, client_size=3, evaluation=True, shuffled=False)  # evaluation=True
fl.opposite_labels(digits, (0, 1), seed=0, client_size=3, evaluation=float, shuffled=False)  # evaluation=the class
fl.opposite_labels(digits, (0, 1), seed=0, client_size=3, evaluation=0.2, shuffled='yes')  # shuffled='yes'
fl.opposite_labels(digits, (0, 1), seed=0, client_size=3, evaluation=0.2, shuffled=2)  # shuffled=2
fl.opposite_labels(digits, (0, 1), seed=0, client_size=3, evaluation=0.2, shuffled=None)  # shuffled=None
fl.opposite_labels(digits, (0, 1), seed=0, client_size=3, evaluation=0.2, shuffled=nan)  # shuffled=nan
fl.load_idx([], part='test')  # folder=[]
fl.load_idx([1, 2], part='test')  # folder=[1,
fl.load_idx('nowhere', part=3)  # part=3
fl.load_idx('nowhere', part=None)  # part=None
fl.load_idx('nowhere', part=True)  # part=True
fl.load_fashion_mnist(None, part='test')  # folder=None
fl.load_fashion_mnist(3, part='test')  # folder=3
fl.load_fashion_mnist('nowhere', part=str)  # part=the class
fl.load_fashion_mnist('nowhere', part='splendid')  # part='splendid'
fl.DualEncoder(3, 3, 3, 0.5)  # timelines=3
fl.DualEncoder(fl.QuadraticProblem, 3, 3, 0.5)  # timelines=the class
fl.DualEncoder(avg, 3, 3, 0.5)  # timelines=FedAvg(local_steps=2,
fl.DualEncoder(films, True, 3, 0.5)  # width=True
fl.DualEncoder(films, nan, 3, 0.5)  # width=nan
fl.DualEncoder(films, inf, 3, 0.5)  # width=inf
fl.DualEncoder(films, 3, 2j, 0.5)  # context=2j
fl.DualEncoder(films, 3, [2], 0.5)  # context=[2]
fl.DualEncoder(films, 3, int, 0.5)  # context=the class
fl.DualEncoder(films, 3, 3, 0)  # margin=0
fl.DualEncoder(films, 3, 3, 1.5)  # margin=1.5
fl.DualEncoder(films, 3, 3, nan)  # margin=nan
fl.Spreadout([], 1)  # shape=[]
fl.Spreadout(object(), 1)  # shape=<object
fl.Spreadout('quad', 1)  # shape='quad'
fl.Spreadout(shape, np.array([0.1, 0.2]))  # strength=array([0.1,
fl.Spreadout(shape, 0)  # strength=0
fl.Spreadout(shape, -0.1)  # strength=-0.1
fl.movie_catalogue(10**30, 60, seed=0, mean_length=10, spread=0.6)  # n_users=1000000000000000000000000000000
fl.movie_catalogue(0, 60, seed=0, mean_length=10, spread=0.6)  # n_users=0
fl.movie_catalogue(-1, 60, seed=0, mean_length=10, spread=0.6)  # n_users=-1
fl.movie_catalogue(20, 2.5, seed=0, mean_length=10, spread=0.6)  # n_items=2.5
fl.movie_catalogue(20, '3', seed=0, mean_length=10, spread=0.6)  # n_items='3'
fl.movie_catalogue(20, None, seed=0, mean_length=10, spread=0.6)  # n_items=None
fl.movie_catalogue(20, 60, seed=2.5, mean_length=10, spread=0.6)  # seed=2.5
fl.movie_catalogue(20, 60, seed='3', mean_length=10, spread=0.6)  # seed='3'
fl.movie_catalogue(20, 60, seed=None, mean_length=10, spread=0.6)  # seed=None
fl.movie_catalogue(20, 60, seed=0, mean_length=nan, spread=0.6)  # mean_length=nan
fl.movie_catalogue(20, 60, seed=0, mean_length=inf, spread=0.6)  # mean_length=inf
fl.movie_catalogue(20, 60, seed=0, mean_length='0.1', spread=0.6)  # mean_length='0.1'
fl.movie_catalogue(20, 60, seed=0, mean_length=10, spread=None)  # spread=None
fl.movie_catalogue(20, 60, seed=0, mean_length=10, spread=True)  # spread=True
fl.movie_catalogue(20, 60, seed=0, mean_length=10, spread=0.1j)  # spread=0.1j
fl.movie_catalogue(20, 60, seed=0, least=True, genres=8, popularity=1, taste=4)  # least=True
fl.movie_catalogue(20, 60, seed=0, least=nan, genres=8, popularity=1, taste=4)  # least=nan
fl.movie_catalogue(20, 60, seed=0, least=inf, genres=8, popularity=1, taste=4)  # least=inf
fl.movie_catalogue(20, 60, seed=0, least=4, genres=2j, popularity=1, taste=4)  # genres=2j
fl.movie_catalogue(20, 60, seed=0, least=4, genres=[2], popularity=1, taste=4)  # genres=[2]
fl.movie_catalogue(20, 60, seed=0, least=4, genres=int, popularity=1, taste=4)  # genres=the class
fl.movie_catalogue(20, 60, seed=0, least=4, genres=8, popularity=0.1j, taste=4)  # popularity=0.1j
fl.movie_catalogue(20, 60, seed=0, least=4, genres=8, popularity=[0.1], taste=4)  # popularity=[0.1]
fl.movie_catalogue(20, 60, seed=0, least=4, genres=8, popularity=float, taste=4)  # popularity=the class
fl.movie_catalogue(20, 60, seed=0, least=4, genres=8, popularity=1, taste=nan)  # taste=nan
fl.movie_catalogue(20, 60, seed=0, least=4, genres=8, popularity=1, taste=inf)  # taste=inf
fl.movie_catalogue(20, 60, seed=0, least=4, genres=8, popularity=1, taste='0.1')  # taste='0.1'
fl.generated_text(True, users=3, length=10, server=20, held_out_server=10, manner=0.3)  # seed=True
fl.generated_text(2**64, users=3, length=10, server=20, held_out_server=10, manner=0.3)  # seed=18446744073709551616
fl.generated_text([1], users=3, length=10, server=20, held_out_server=10, manner=0.3)  # seed=[1]
fl.generated_text(0, users=10**30, length=10, server=20, held_out_server=10, manner=0.3)  # users=1000000000000000000000000000000
fl.generated_text(0, users=0, length=10, server=20, held_out_server=10, manner=0.3)  # users=0
fl.generated_text(0, users=-1, length=10, server=20, held_out_server=10, manner=0.3)  # users=-1
fl.generated_text(0, users=3, length=2.5, server=20, held_out_server=10, manner=0.3)  # length=2.5
fl.generated_text(0, users=3, length='3', server=20, held_out_server=10, manner=0.3)  # length='3'
fl.generated_text(0, users=3, length=None, server=20, held_out_server=10, manner=0.3)  # length=None
fl.generated_text(0, users=3, length=10, server=True, held_out_server=10, manner=0.3)  # server=True
fl.generated_text(0, users=3, length=10, server=nan, held_out_server=10, manner=0.3)  # server=nan
fl.generated_text(0, users=3, length=10, server=inf, held_out_server=10, manner=0.3)  # server=inf
fl.generated_text(0, users=3, length=10, server=20, held_out_server=2j, manner=0.3)  # held_out_server=2j
fl.generated_text(0, users=3, length=10, server=20, held_out_server=[2], manner=0.3)  # held_out_server=[2]
fl.generated_text(0, users=3, length=10, server=20, held_out_server=int, manner=0.3)  # held_out_server=the class
fl.generated_text(0, users=3, length=10, server=20, held_out_server=10, manner=[0.1])  # manner=[0.1]
fl.generated_text(0, users=3, length=10, server=20, held_out_server=10, manner=float)  # manner=the class
fl.generated_text(0, users=3, length=10, server=20, held_out_server=10, manner=-0.1)  # manner=-0.1
fl.text_of_files(None, 'abc def ' * 40, n_users=3, length=10, server_length=20)  # users=None
fl.text_of_files(True, 'abc def ' * 40, n_users=3, length=10, server_length=20)  # users=True
fl.text_of_files(0.1j, 'abc def ' * 40, n_users=3, length=10, server_length=20)  # users=0.1j
fl.text_of_files('abc def ' * 40, [0.1], n_users=3, length=10, server_length=20)  # server=[0.1]
fl.text_of_files('abc def ' * 40, float, n_users=3, length=10, server_length=20)  # server=the class
fl.text_of_files('abc def ' * 40, nan, n_users=3, length=10, server_length=20)  # server=nan
fl.text_of_files('abc def ' * 40, 'abc def ' * 40, n_users=0, length=10, server_length=20)  # n_users=0
fl.text_of_files('abc def ' * 40, 'abc def ' * 40, n_users=-1, length=10, server_length=20)  # n_users=-1
fl.text_of_files('abc def ' * 40, 'abc def ' * 40, n_users=3, length=2.5, server_length=20)  # length=2.5
fl.text_of_files('abc def ' * 40, 'abc def ' * 40, n_users=3, length='3', server_length=20)  # length='3'
fl.text_of_files('abc def ' * 40, 'abc def ' * 40, n_users=3, length=None, server_length=20)  # length=None
fl.text_of_files('abc def ' * 40, 'abc def ' * 40, n_users=3, length=10, server_length=True)  # server_length=True
fl.text_of_files('abc def ' * 40, 'abc def ' * 40, n_users=3, length=10, server_length=nan)  # server_length=nan
fl.text_of_files('abc def ' * 40, 'abc def ' * 40, n_users=3, length=10, server_length=inf)  # server_length=inf
fl.synthetic(1, 1, seed=None)  # seed=None
fl.synthetic(1, 1, seed=0, n_clients=10**12)  # n_clients=1000000000000
fl.synthetic(1, 1, seed=0, n_clients=2, sizes=[10**15, 1])  # too large a request
fl.movie_catalogue(10**9, 10**9, seed=0)  # too large a request
fl.movie_catalogue(20, 60, seed=0, least=31)  # least=31
fl.power_law_sizes(10, 5)  # total=5 is too small
fl.power_law_sizes(3, 10**30)  # total=
fl.split_by_class([0, 1], 3, seed=0)  # labels has shape (2,)
fl.split_by_class([nan] * 6, 3, seed=0)  # labels[0]=nan
fl.split_by_class("x", 3, seed=0)  # labels has shape ()
fl.opposite_labels(digits, (0, 9), seed=0)  # positive=[0, 9]
fl.opposite_labels(digits, (0, 1, 2, 3), seed=0)  # positive=[0, 1, 2, 3]
fl.opposite_labels(digits, (0, 1), seed=0, federated=[], client_size=3)  # federated=[]
fl.opposite_labels(digits, (0, 1), seed=0, client_size=99)  # client_size=99
fl.generated_text(0, held_out=3)  # held_out=3
fl.generated_text(0, held_out=(1,))  # held_out=(1,)
fl.generated_text(0, held_out=(0, 10))  # held_out=0
fl.generated_text(0, users=10**9, length=10**9)  # too large a request
fl.generated_text(0, symbols=5)  # symbols=5
fl.text_of_files("", "abc " * 9)  # users: the text for the users has 0 symbols
fl.load_movielens(3)  # path=3
fl.load_movielens("")  # MovieLens 100K: set FLTHEORY_MOVIELENS_100K
fl.load_movielens("no/such/folder")  # no file folder in such
fl.load_idx("no/such/folder")  # 'no/such/folder'
fl.load_fashion_mnist("no/such/folder")  # 'no/such/folder'
fl.dirichlet_over_clients([0, 1] * 10, 0, concentration=1, seed=0)  # n_clients=0
fl.dirichlet_over_clients([0, 1] * 10, 3, concentration=0, seed=0)  # concentration=0
fl.dirichlet_over_clients([0, 1] * 10, 3, concentration=nan, seed=0)  # concentration=nan
fl.dirichlet_over_clients([0, 1] * 10, 3, concentration='1', seed=0)  # concentration='1'
fl.dirichlet_over_clients([0, 1] * 10, 3, concentration=inf, seed=0)  # concentration=inf
fl.dirichlet_over_clients([0, 1] * 10, 10**15, concentration=1, seed=0)  # n_clients=1000000000000000
fl.dirichlet_over_clients([], 3, concentration=1, seed=0)  # labels has shape
fl.dirichlet_over_clients('ab', 3, concentration=1, seed=0)  # labels has shape
fl.dirichlet_over_clients([nan, 1], 3, concentration=1, seed=0)  # labels[0]=nan
fl.dirichlet_over_clients([[0, 1]], 3, concentration=1, seed=0)  # labels has shape
fl.dirichlet_over_clients([0, 1] * 10, 3, concentration=1, seed=-1)  # seed=-1
fl.dirichlet_over_clients([None, 1], 3, concentration=1, seed=0)  # labels=[None, 1]
fl.dirichlet_over_clients([[0], [1,2]], 3, concentration=1, seed=0)  # labels=[[0], [1, 2]]
fl.dirichlet_over_labels([0, 1] * 10, [], concentration=1, seed=0)  # sizes is empty
fl.dirichlet_over_labels([0, 1] * 10, [5, 0], concentration=1, seed=0)  # sizes[1]=0
fl.dirichlet_over_labels([0, 1] * 10, [5, 16], concentration=1, seed=0)  # sizes sum to 21
fl.dirichlet_over_labels([0, 1] * 10, 5, concentration=1, seed=0)  # sizes=5
fl.dirichlet_over_labels([0, 1] * 10, ['5'], concentration=1, seed=0)  # sizes[0]='5'
fl.dirichlet_over_labels([0, 1] * 10, [5], concentration=-1, seed=0)  # concentration=-1
fl.dirichlet_over_labels([0, 1] * 10, [5], concentration=1, seed=0, exhausted='guess')  # exhausted='guess'
fl.dirichlet_over_labels([0, 1] * 10, [5], concentration=1, seed=0, exhausted=None)  # exhausted=None
fl.log_normal_sizes(0, 10, deviation=1, seed=0)  # n_clients=0
fl.log_normal_sizes(3, 2, deviation=1, seed=0)  # total=2
fl.log_normal_sizes(3, 20, deviation=-1, seed=0)  # deviation=-1
fl.log_normal_sizes(3, 20, deviation=nan, seed=0)  # deviation=nan
fl.log_normal_sizes(3, 20, deviation='1', seed=0)  # deviation='1'
fl.log_normal_sizes(3, 20, deviation=1e6, seed=0)  # deviation=1000000.0
fl.log_normal_sizes(3, 20, deviation=1, seed=None)  # seed=None
fl.log_normal_sizes(3, 20, deviation=1, seed=0, least=-1)  # least=-1
fl.log_normal_sizes(3, 10**30, deviation=1, seed=0)  # total=1000000000000000000000000000000
fl.by_writer('abab')  # writers='abab'
fl.by_writer([])  # least=2
fl.by_writer(['a', 'b'])  # least=2
fl.by_writer(['a', 'a'], least=0)  # least=0
fl.by_writer([[1], [1]])  # writers[0]=[1]
fl.by_writer(3)  # writers=3
fl.pachinko([0]*4+[1]*4, [0,0,1,1,2,2,3,3], 0, 1, seed=0)  # n_clients=0
fl.pachinko([0]*4+[1]*4, [0,0,1,1,2,2,3,3], 2, 5, seed=0)  # n_clients=2
fl.pachinko([0]*4+[1]*3, [0,0,1,1,2,2,3,3], 2, 2, seed=0)  # coarse has shape
fl.pachinko([0]*4+[1]*4, [0,0,1,1,1,2,3,3], 2, 2, seed=0)  # fine=1
fl.pachinko([0]*4+[1]*4, [0,0,1,1,2,2,3,3], 2, 2, seed=0, over_coarse=0)  # over_coarse=0
fl.pachinko([0]*4+[1]*4, [0,0,1,1,2,2,3,3], 2, 2, seed=0, over_fine=nan)  # over_fine=nan
fl.pachinko([0]*4+[1]*4, [0,0,1,1,2,2,3,3], 2, 2, seed=0, coarse_exhausted='x')  # coarse_exhausted='x'
fl.pachinko([0]*4+[1]*4, [0,0,1,1,2,2,3,3], 2, 2.5, seed=0)  # per_client=2.5
fl.pachinko(None, [0,0,1,1,2,2,3,3], 2, 2, seed=0)  # coarse has shape
"""
ROWS = [tuple(row.split("  # ")) for row in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("call", "words"), ROWS)
def test_it_is_refused_in_words(call: str, words: str, refused: Callable[[str, str], None]) -> None:
    refused(call, words)
